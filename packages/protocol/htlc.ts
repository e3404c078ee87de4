/** The vocabulary of one hash time-locked contract, the same on every chain. */
import type { AssetId } from './asset.ts'
import type { Block } from './chain.ts'
import type { Hex32 } from './secret.ts'

/** Everything both parties agree on before any money moves. Never changes; every id and address is a pure function of it. */
export type HtlcTerms = {
  readonly asset: AssetId
  /** Can refund after the timelock: an account or public key in the chain's own form. */
  readonly initiator: string
  /** Can redeem with the secret. */
  readonly redeemer: string
  readonly amount: bigint
  readonly secretHash: Hex32
  /** How long, in the chain's own unit: from the block of the initiation, or from its signature (see `ChainClock.expiry`). */
  readonly timelock: bigint
}

/** Identifies the HTLC: its id in the contract, or its script address. */
export type SwapId = string

/** The part of a block header that events keep. */
export type BlockRef = Omit<Block, 'parentHash'>

/** One observation. `(tx, index)` is unique on its chain; `block` is null while it is unconfirmed. */
type Sighting = {
  readonly swapId: SwapId
  readonly tx: string
  /** Position inside the transaction: 'log:3', 'out:0', 'in:1'. */
  readonly index: string
  readonly block: BlockRef | null
  /** Which deposit this creates or spends: an outpoint on Bitcoin-like chains, the swap id where an HTLC is funded once. */
  readonly deposit: string
}

/** A chain event. Swap state is derived from these only. */
export type HtlcEvent = Sighting &
  /**
   * `expiresAt`: when the initiator can refund, by the chain's clock: the height of the first block that may hold the refund, or
   * a time in the clock's unit. Null while unconfirmed, if the expiry counts from the block of the initiation.
   */
  (
    | { readonly kind: 'initiated'; readonly amount: bigint; readonly expiresAt: bigint | null }
    /**
     * `secret`: if the transaction contains it. A redeem that both parties signed need not; a refund may, which makes it public too.
     * `paid`: what is paid out for this deposit, after a fee that is taken out of it. Where one payment is for several deposits of a swap, the first
     * has all of it and the others 0: only their sum says something. Absent: not known. For people to read; nothing is decided by it.
     */
    | { readonly kind: 'redeemed' | 'refunded'; readonly secret: Hex32 | null; readonly paid?: bigint }
  )

export type HtlcVerb = 'initiate' | 'redeem' | 'refund'
