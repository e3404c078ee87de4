/** Three simulated providers of one local chain, for the conformance suite: each can be made to lie, lag or die. */
import type { Block } from '../../protocol/chain.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
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
 */
export type Misbehaviour =
  | { readonly kind: 'dead' }
  | { readonly kind: 'stops-at'; readonly newest: Block }
  | { readonly kind: 'forges-block'; readonly block: Block }
  | { readonly kind: 'forges-initiation'; readonly terms: HtlcTerms; readonly newest: Block }
  | { readonly kind: 'hides-events' }
