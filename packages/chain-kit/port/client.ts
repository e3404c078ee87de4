/**
 * The port is the interface of every chain to all other code. `abilities/` has what only some chains can do; an absent one is unsupported.
 */
import type { Curve, PublicKey } from '@tandem/keys/key.ts'
import type { PermitSigning } from '@tandem/keys/permit.ts'
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
  readonly text: TextForms
  /** All keys that sign on this chain use this curve: operator keys and order keys. */
  readonly curve: Curve

  // The next members are pure: the result is the same offline, so that anyone can check the service.

  /** The party in `HtlcTerms` for the owner of a key is an account, or a public key. Throws for a key of another curve. */
  identityOf(key: PublicKey): string
  /** The owner of a key holds its inventory and receives payments at this address. */
  addressOf(key: PublicKey): string
  swapId(terms: HtlcTerms): SwapId
  /** Our own keys sign on this chain only what it permits. It is absent where the family does not check what is signed. */
  readonly permitSigning?: PermitSigning
  /** This is called before `swapId` of new terms, and works in a worker thread under load. It is absent where `swapId` is cheap. */
  prepare?(terms: HtlcTerms): Promise<void>

  verifyNode(): Promise<void>
  tip(): Promise<Block>
  /**
   * One of several providers, round robin, tells its newest block. It costs one request and is only a hint: it shows whether reading `tip`
   * is worthwhile. The method is absent with a single provider.
   */
  tipHint?(): Promise<Block>
  /**
   * The headers are canonical and ascending, like the heights, which have no duplicates. Heights that the chain skipped or has not reached
   * are absent. One batch is used where the node supports it: then all headers are of the same moment.
   */
  headers(heights: readonly bigint[]): Promise<readonly Block[]>
  /** The events are in order, and the call is repeatable. Every event's block is canonical when the call returns. */
  events(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  /**
   * The reading is of this moment, by quorum: evidence for a signature. `deposits` are the ids to read; where an HTLC is funded once, its
   * only deposit is read in any case. Rejects if the nodes do not agree.
   */
  readHtlc(terms: HtlcTerms, deposits: readonly string[]): Promise<HtlcReading>
  balance(asset: AssetId, owner: string): Promise<bigint>
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
  /** This account pays and sends the initiation. Null stands for the initiator itself. */
  readonly payer: string | null
  /** The owner of a token is asked for this allowance, where the HTLC needs one. */
  readonly approval: ApprovalMode
}

export type ApprovalMode = 'exact' | 'unlimited'
