/** The vocabulary of one hash time-locked contract is the same on every chain. */
import type { AssetId } from './asset.ts'
import type { Block } from './chain.ts'
import type { Hex32 } from './secret.ts'

/** Both parties agree on these terms before any money moves. They never change, and every id and address is a pure function of them. */
export type HtlcTerms = {
  readonly asset: AssetId
  /** This account or public key, in the chain's own form, can refund after the timelock. */
  readonly initiator: string
  readonly redeemer: string
  readonly amount: bigint
  readonly secretHash: Hex32
  /** The duration is in the chain's own unit, from the block of the initiation or from its signature (see `ChainClock.expiry`). */
  readonly timelock: bigint
}

export type SwapId = string

export type BlockRef = Omit<Block, 'parentHash'>

/** `(tx, index)` is unique on its chain. `block` is null while the observation is unconfirmed. */
type Sighting = {
  readonly swapId: SwapId
  readonly tx: string
  /** The index is a position inside the transaction: 'log:3', 'out:0', 'in:1'. */
  readonly index: string
  readonly block: BlockRef | null
  /** The event creates or spends this deposit: an outpoint on Bitcoin-like chains, the swap id where an HTLC is funded once. */
  readonly deposit: string
}

/** Swap state is derived from events only. */
export type HtlcEvent = Sighting &
  /**
   * From `expiresAt` on, by the chain's clock, the initiator can refund. It is the height of the first block that may hold the refund, or a
   * time in the clock's unit. It is null while unconfirmed, if the expiry counts from the block of the initiation.
   */
  (
    | { readonly kind: 'initiated'; readonly amount: bigint; readonly expiresAt: bigint | null }
    /**
     * `secret` is null if the transaction does not contain it. A redeem that both parties signed need not contain it; a refund may, which makes it public too.
     * `paid` is the payout for this deposit, after a fee that is taken out of it. If one payment is for several deposits of a swap, the first has all of it and the
     * others 0, so only the sum has a meaning. It is absent if it is not known. It is for people to read and decides nothing.
     */
    | { readonly kind: 'redeemed' | 'refunded'; readonly secret: Hex32 | null; readonly paid?: bigint }
  )

export type HtlcVerb = 'initiate' | 'redeem' | 'refund'
