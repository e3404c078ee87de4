/** The port: the interface of every chain to the rest of the code. `abilities/` has what only some chains can do; absent means unsupported. */

import type { Curve, PublicKey } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcEvent, HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { Abilities } from './abilities/index.ts'
import type { PrefundedSwap } from './abilities/prefund.ts'
import type { HtlcReading } from './htlc-reading.ts'
import type { Outbox } from './outbox.ts'
import type { SpendRequest } from './spend.ts'
import type { TextForms } from './text-forms.ts'
import type { WatchedSwaps } from './watched-swaps.ts'

export interface ChainClient extends Partial<Abilities> {
  readonly chain: Chain
  /** Those of its family, for this chain. */
  readonly text: TextForms
  /** Of all keys that sign on this chain: operator keys and order keys. */
  readonly curve: Curve

  // Pure: the same result offline, so that anyone can check the service.

  /** The party in `HtlcTerms` for the owner of this key: an account, or a public key. Throws for a key of another curve. */
  identityOf(key: PublicKey): string
  /** Where the owner of a key holds its inventory and receives payments. */
  addressOf(key: PublicKey): string
  swapId(terms: HtlcTerms): SwapId
  /** Before `swapId` of new terms: does its work off the event loop if much of it is asked for at once. Absent where it is cheap. */
  prepare?(terms: HtlcTerms): Promise<void>

  // Read.

  /** Throws unless the node serves this chain. */
  verifyNode(): Promise<void>
  tip(): Promise<Block>
  /**
   * With several providers: the newest block as one of them sees it, each in turn. It costs one request, and is never believed: it only tells
   * whether `tip` is worth asking.
   */
  glimpse?(): Promise<Block>
  /**
   * The canonical headers at these heights (ascending, no duplicates), ascending. Heights that the chain skipped or has not reached are absent.
   * One batch where the node supports it: then all headers are of the same moment.
   */
  headers(heights: readonly bigint[]): Promise<readonly Block[]>
  /** Events of the watched swaps in blocks [from, to], in order. Repeatable. Every event's block is canonical when the call returns. */
  events(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  /**
   * The HTLC of these terms at this moment, by quorum: evidence for a signature. `deposits`: ids that are believed to be there; where an HTLC is funded
   * once, its only deposit is read in any case. Rejects if the nodes do not agree.
   */
  readHtlc(terms: HtlcTerms, deposits: readonly string[]): Promise<HtlcReading>
  /** The amount that `owner` (an address as in `addressOf`) can spend now. */
  balance(asset: AssetId, owner: string): Promise<bigint>
  /** The user's funding instructions: the result of POST /orders. */
  funding(swap: FundingRequest): Promise<Funding>
  /** Rejects with `ChainFailure('would-fail')` if a payout of this HTLC cannot succeed. Neither needs nor shows the secret. */
  verifyPayout(terms: HtlcTerms, to: string | null): Promise<void>

  // Write. Each returns the hash of the pending or mined transaction and is safe to repeat: it reads `outbox.attempts` first,
  // rebroadcasts or replaces an attempt that is there, and never pays twice.

  initiate(terms: HtlcTerms, outbox: Outbox): Promise<string>
  redeem(terms: HtlcTerms, spend: SpendRequest & { readonly secret: Hex32 }, outbox: Outbox): Promise<string>
  refund(terms: HtlcTerms, spend: SpendRequest, outbox: Outbox): Promise<string>

  close(): Promise<void>
}

export type FundingRequest = PrefundedSwap & {
  /** Who pays and sends the initiation; null: the initiator itself. */
  readonly payer: string | null
  /** The allowance that a token's owner is asked for, where the HTLC needs one. */
  readonly approval: ApprovalMode
}

export type ApprovalMode = 'exact' | 'unlimited'
