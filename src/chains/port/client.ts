/** The port: all that the rest of the code may ask of every chain. What only some can do is in `abilities/`; absent means unsupported. */

import type { Curve, PublicKey } from '../../keys/key.ts'
import type { AssetId } from '../../protocol/asset.ts'
import type { Block, Chain } from '../../protocol/chain.ts'
import type { Funding } from '../../protocol/funding/funding.ts'
import type { HtlcEvent, HtlcTerms, SwapId } from '../../protocol/htlc.ts'
import type { Hex32 } from '../../protocol/secret.ts'
import type { Abilities } from './abilities/index.ts'
import type { PrefundedSwap } from './abilities/prefund.ts'
import type { Outbox } from './outbox.ts'
import type { SpendRequest } from './spend.ts'
import type { TextForms } from './text-forms.ts'
import type { WatchedSwaps } from './watched-swaps.ts'

export interface ChainClient extends TextForms, Partial<Abilities> {
  readonly chain: Chain
  /** Of every key that signs on this chain: that of an operator, and that made for one order. */
  readonly curve: Curve

  // Pure: the same answer offline, so that anyone can check the service.

  /** What the owner of a key is called inside `HtlcTerms` on this chain: an account, or a public key. Throws for a key of another curve. */
  identityOf(key: PublicKey): string
  /** Where the owner of a key holds its inventory and receives payments. */
  addressOf(key: PublicKey): string
  swapId(terms: HtlcTerms): SwapId

  // Read.

  /** Throws unless the node is the chain it should be. */
  verifyNode(): Promise<void>
  tip(): Promise<Block>
  /**
   * The canonical headers at these heights (ascending, no duplicates), ascending. Heights that the chain skipped or has not reached are absent.
   * One request where the node can batch: all headers of an answer are then of one moment.
   */
  headers(heights: readonly bigint[]): Promise<readonly Block[]>
  /**
   * Where the chain has a `finalityTag`: the height of the block that its nodes call so, 0 when there is no news of it; null when they know no
   * such tag, and depth alone counts, which does not change while connected.
   */
  finalHeight?(): Promise<bigint | null>
  /** What happened to the watched swaps in blocks [from, to], in order. Replayable. Every event's block is canonical at the time of the answer. */
  events(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  /** The same for transactions without a block; empty where a chain shows none. */
  unconfirmedEvents(watched: WatchedSwaps): Promise<readonly HtlcEvent[]>
  /** What `owner` (an address as in `addressOf`) could spend now. */
  balance(asset: AssetId, owner: string): Promise<bigint>
  /** What the user must sign or send: the result of POST /orders. */
  funding(swap: FundingRequest): Promise<Funding>
  /** Rejects with `ChainFailure('would-fail')` if paying this out of the HTLC cannot succeed. Must not need, nor show, the secret. */
  verifyPayout(terms: HtlcTerms, to: string | null): Promise<void>
  /** The smallest part of `amount` that the last step costs out of the output itself; 0 where someone else pays it. */
  payoutFee(asset: AssetId): Promise<bigint>

  // Write. Each returns the hash of the live transaction and is safe to repeat: it looks at `outbox.attempts` first,
  // rebroadcasts or replaces what is there, and never pays the same thing twice.

  initiate(terms: HtlcTerms, outbox: Outbox): Promise<string>
  redeem(terms: HtlcTerms, spend: SpendRequest & { readonly secret: Hex32 }, outbox: Outbox): Promise<string>
  refund(terms: HtlcTerms, spend: SpendRequest, outbox: Outbox): Promise<string>

  close(): Promise<void>
}

export type FundingRequest = PrefundedSwap & {
  /** Who pays and sends the initiation; null: the initiator itself. */
  readonly payer: string | null
  /** How much a token's owner is asked to allow the HTLC to take, where it has to be asked. */
  readonly approval: ApprovalMode
}

export type ApprovalMode = 'exact' | 'unlimited'
