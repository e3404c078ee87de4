/** Simulates three providers of one local chain, for the conformance suite: each can be made to lie, lag or die. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { LocalServer } from '../local/local-server.ts'
import type { ChainClient } from '../port/client.ts'
import type { ConnectOptions } from '../port/family.ts'

type Connection = Pick<ConnectOptions, 'quorum' | 'onTrouble'>
export type ConnectProviders = (urls: readonly string[], options: Connection) => ChainClient

export interface TestProviders {
  connect(which: readonly number[], options: Connection): ChainClient
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

type Ask<P, A> = (method: string, params: P) => A
/** A behaviour answers a request in place of the local chain. */
export type Behaviour<P, A = unknown> = (method: string, params: P, ask: Ask<P, A>) => A

export function honest<P, A>(method: string, params: P, ask: Ask<P, A>): A {
  return ask(method, params)
}

/** Changes the answers to these methods; all others are honest. Each family exports it with its own types. */
export function lyingAbout<P, T>(lies: Readonly<Record<string, (params: P, truth: T, ask: Ask<P, unknown>) => unknown>>): Behaviour<P> {
  return (method, params, ask) => {
    const truth = ask(method, params)
    const lie = lies[method]
    if (lie === undefined) return truth
    return truth instanceof Promise ? truth.then((known) => lie(params, known, ask)) : lie(params, truth as T, ask)
  }
}

/** The node stands in front of the local chain. */
export interface TestProvider<B> extends Omit<LocalServer, 'port'> {
  readonly url: string
  readonly asked: string[]
  behave(behaviour: B): void
}

export async function startTestProvider<P, A>(
  serve: (answer: Behaviour<P, A>) => Promise<LocalServer>,
  scheme: 'http' | 'ws' = 'http',
): Promise<TestProvider<Behaviour<P, A>>> {
  const asked: string[] = []
  let behaviour: Behaviour<P, A> = honest
  const server = await serve((method, params, ask) => {
    asked.push(method)
    return behaviour(method, params, ask)
  })
  return {
    ...server,
    url: `${scheme}://127.0.0.1:${server.port}`,
    asked,
    behave(next) {
      behaviour = next
    },
  }
}

type ProvidersSetup<B> = {
  start(): Promise<Pick<TestProvider<B>, 'url' | 'behave' | 'setOffline' | 'close'>>
  connect: ConnectProviders
  readonly honest: B
  readonly behaviours: { readonly [K in Exclude<Misbehaviour['kind'], 'dead'>]: (how: Extract<Misbehaviour, { readonly kind: K }>) => B }
}

export async function startTestProviders<B>({ start, connect, honest, behaviours }: ProvidersSetup<B>): Promise<TestProviders> {
  const providers = [await start(), await start(), await start()]
  const numbered = (number: number) => {
    const found = providers[number]
    if (found === undefined) throw new Error(`there is no provider ${number}`)
    return found
  }
  const behaviourOf = (how: Misbehaviour | null): B =>
    how === null || how.kind === 'dead' ? honest : (behaviours[how.kind] as (how: Misbehaviour) => B)(how)
  return {
    connect: (which, options) =>
      connect(
        which.map((number) => numbered(number).url),
        options,
      ),
    misbehave(number, how) {
      numbered(number).setOffline(how?.kind === 'dead')
      numbered(number).behave(behaviourOf(how))
    },
    async close() {
      await Promise.all(providers.map((provider) => provider.close()))
    },
  }
}
