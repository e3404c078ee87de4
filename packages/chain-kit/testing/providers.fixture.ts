/** Three simulated providers of one local chain, for the conformance suite: each can be made to lie, lag or die. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { ChainClient } from '../port/client.ts'
import type { ConnectOptions } from '../port/family.ts'

export interface TestProviders {
  /** `which`: their numbers, 0 to 2. */
  connect(which: readonly number[], options: Pick<ConnectOptions, 'quorum' | 'onTrouble'>): ChainClient
  /** From now on. Null: honestly. */
  misbehave(provider: number, how: Misbehaviour | null): void
  close(): Promise<void>
}

/**
 * dead               answers nothing
 * stops-at           has no block after `newest`
 * forges-block       shows another block in place of `block`, the newest
 * forges-initiation  shows a swap as initiated, in the newest block or in a forged one after it, that nobody initiated
 * hides-events       shows all blocks without what happened in them
 * shows-htlc         shows the HTLC of these terms as open, or as not there, whatever it is; blocks and events are true
 */
export type Misbehaviour =
  | { readonly kind: 'dead' }
  | { readonly kind: 'stops-at'; readonly newest: Block }
  | { readonly kind: 'forges-block'; readonly block: Block }
  | { readonly kind: 'forges-initiation'; readonly terms: HtlcTerms; readonly newest: Block }
  | { readonly kind: 'hides-events' }
  | { readonly kind: 'shows-htlc'; readonly as: 'open' | 'absent'; readonly terms: HtlcTerms; readonly newest: Block }

/** A proxy in front of the local chain. */
type Provider<Behaviour> = {
  readonly url: string
  behave(behaviour: Behaviour): void
  setOffline(offline: boolean): void
  close(): Promise<void>
}

type ProvidersSetup<Behaviour> = {
  start(): Promise<Provider<Behaviour>>
  connect(urls: readonly string[], options: Parameters<TestProviders['connect']>[1]): ChainClient
  readonly honest: Behaviour
  behaviourOf(how: Exclude<Misbehaviour, { readonly kind: 'dead' }>): Behaviour
}

export async function startTestProviders<Behaviour>(setup: ProvidersSetup<Behaviour>): Promise<TestProviders> {
  const { start, connect, honest, behaviourOf } = setup
  const providers = [await start(), await start(), await start()]
  const of = (provider: number) => {
    const found = providers[provider]
    if (found === undefined) throw new Error(`there is no provider ${provider}`)
    return found
  }
  return {
    connect(which, options) {
      const urls = which.map((provider) => of(provider).url)
      return connect(urls, options)
    },
    misbehave(provider, how) {
      of(provider).setOffline(how?.kind === 'dead')
      of(provider).behave(how === null || how.kind === 'dead' ? honest : behaviourOf(how))
    },
    async close() {
      await Promise.all(providers.map((provider) => provider.close()))
    },
  }
}
