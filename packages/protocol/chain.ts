/** This file describes a chain as data. The values of each network are in the `terms/registry` of its family. */
import type { AssetId } from './asset.ts'
import type { ChainId } from './chain-id.ts'
import type { Icon } from './icon.ts'

export type Block = {
  /** This is the slot number on chains with slots; a slot may have no block. */
  readonly height: bigint
  readonly hash: string
  readonly parentHash: string
  /** Unix seconds by the block's own timestamp. Several blocks may share one. */
  readonly time: bigint
  /** On chains whose heights may skip, this counts the blocks without gaps. It is absent elsewhere. */
  readonly ordinal?: bigint
}

export type ChainClock = {
  /**
   * The unit of timelocks. 'slots' are counted like blocks, by `Block.height`; 'seconds' and 'milliseconds' by `Block.time`,
   * which is the clock of the chain.
   */
  readonly unit: 'blocks' | 'slots' | 'seconds' | 'milliseconds'
  /**
   * A 'relative' timelock counts from the block of its initiation. With 'absolute', the initiation itself contains the end on the chain's clock: the initiator
   * computes it when it signs, and the other parties read it from the event.
   */
  readonly expiry: 'relative' | 'absolute'
  /** One unit takes this many wall-clock milliseconds at the fastest plausible speed. It bounds a source expiry from below. */
  readonly fastestMs: bigint
  /** One unit takes this long at the slowest. It bounds a destination expiry from above. */
  readonly slowestMs: bigint
  /** This is the constant part of the slowest case, such as a sequencer outage. */
  readonly slackSeconds: bigint
}

/** These are worst-case seconds for the parts of one action on this chain. */
export type SafetyMargins = {
  /** This is the time from broadcast to the required confirmations. */
  readonly claimSeconds: bigint
  readonly reorgSeconds: bigint
  readonly feeSpikeSeconds: bigint
}

/** Where a refund pays its fee out of the deposit, small deposits can be smaller than that fee. */
export type SmallDeposits = {
  /** Below this no refund is possible at any fee. */
  readonly hopelessBelow: bigint
  /** Below this the refund fee may exceed the deposit. If it is not refunded `writeOffAfterUnits` timelock units after expiry, it is written off. */
  readonly smallBelow: bigint
  readonly writeOffAfterUnits: bigint
}

export type DepositRule =
  /** An HTLC is funded once, with exactly the agreed amount. */
  | { readonly kind: 'exact' }
  /** Anyone may send any amount any number of times. */
  | {
      readonly kind: 'partial'
      /** The sum may differ from the agreed amount by this much. The destination amount is scaled in proportion. */
      readonly toleranceBips: number
      readonly small: SmallDeposits
    }

export type FamilyName = string

export type Chain = {
  readonly id: ChainId
  readonly family: FamilyName
  /** Only chains of this family have this data. Only the family checks and reads it. */
  readonly familyData?: object
  /** The chain's own identity is checked at the connection: 'evm:31337', 'bitcoin:regtest'. */
  readonly reference: string
  readonly displayName: string
  readonly icon: Icon
  /** This coin pays fees. It has an id even if it cannot be swapped here. */
  readonly nativeAsset: AssetId
  /** The URL is empty for a chain without a public explorer. */
  readonly explorerUrl: string
  /** `{tx}` stands for the transaction's hash. The text is empty if the explorer has no page; the default is `/tx/{tx}` of the explorer. */
  readonly explorerTxUrl?: string
  /** This is the average time between blocks. It is for estimates, never for safety. */
  readonly blockMs: bigint
  /**
   * Chains whose timelocks do not count blocks have their fastest and slowest block time short of a halt here; the others have them in
   * `clock`. All other durations must allow for it.
   */
  readonly blockBoundsMs?: { readonly fastest: bigint; readonly slowest: bigint }
  /** This is true if a height may have no block (skipped slots). Otherwise a node that lacks a block below its tip is faulty. */
  readonly heightsMaySkip: boolean
  /** This is never 0, because a transaction without a block proves nothing. It counts blocks, not heights: see `confirmationsOf`. */
  readonly requiredConfirmations: number
  /**
   * Reorgs of this many blocks are ordinary on this chain, even if that is more than the required confirmations. They halt nothing unless they remove a deposit
   * that counted. An absent value means that no ordinary reorg is deeper than the required confirmations.
   */
  readonly usualReorgBlocks?: number
  /** No reorg is expected below this many blocks, so older block hashes may be deleted. */
  readonly finalityBlocks: number
  /** Where nodes support this block tag, a block is final if it is `finalityBlocks` deep and not above the tagged block. */
  readonly finalityTag?: 'safe' | 'finalized'
  /**
   * The default limit, in dollars, of what a solver pays against deposits of this chain that are not final. It is less than the cost of undoing
   * `requiredConfirmations` blocks. An absent value means no limit, because blocks are final when a party acts on them, or the coins have no value.
   */
  readonly unfinalUsd?: bigint
  readonly publicRpcs?: readonly string[]
  readonly clock: ChainClock
  /** This is the reason why the bounds of `clock` may be violated. Swaps are still allowed; the documentation shows this text. */
  readonly clockException?: string
  readonly margins: SafetyMargins
  /** Durations are in units of `clock.unit`, even where the expiry is absolute. */
  readonly timelocks: { readonly source: bigint; readonly destination: bigint }
  /** The source must be mined within this time after the order was made. */
  readonly fundingWindowSeconds: bigint
  /** If the newest block is older than this, the chain counts as halted, and nothing new starts on it. */
  readonly haltSeconds: bigint
  readonly pollMs: number
  /** The fee of a broadcast transaction without a block is bumped after this time. */
  readonly feeBumpSeconds: bigint
  readonly deposits: DepositRule
  /** This is true if an HTLC is a contract that must be deployed first. Otherwise it is part of the chain's own rules. */
  readonly needsHtlcContract: boolean
  /** A settled HTLC keeps the rent of its account until somebody closes it. Its client has the ability `rent`. */
  readonly settledHtlcKeepsRent?: true
  /** Before the timelock ends, not even both parties together can refund an HTLC. */
  readonly hasNoEarlyRefund?: true
  readonly htlcSchemas: readonly string[]
  readonly tokenSchemas: readonly string[]
}
