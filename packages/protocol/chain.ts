/** A chain as data. The values of each network are in the `terms/registry` of its family. */
import type { AssetId } from './asset.ts'
import type { ChainId } from './chain-id.ts'
import type { Icon } from './icon.ts'

/** One block header, or the equivalent that orders and dates events on this chain. */
export type Block = {
  /** The slot number on chains with slots; a slot may have no block. */
  readonly height: bigint
  readonly hash: string
  readonly parentHash: string
  /** Unix seconds, by the block's own timestamp. Several blocks may share one. */
  readonly time: bigint
  /** The number of the block counted without gaps, on chains whose heights may skip. Absent elsewhere. */
  readonly ordinal?: bigint
}

/** How a chain counts time for its timelocks, and how wrong its clock can be. */
export type ChainClock = {
  /**
   * The unit of timelocks. 'slots' are counted like blocks, by `Block.height`; 'seconds' and 'milliseconds' by `Block.time`,
   * i.e. by the clock of the chain.
   */
  readonly unit: 'blocks' | 'slots' | 'seconds' | 'milliseconds'
  /**
   * 'relative': a timelock counts from the block of its initiation. 'absolute': the initiation itself contains its end, on the chain's clock.
   * The initiator computes it when it signs; the other parties read it from the event.
   */
  readonly expiry: 'relative' | 'absolute'
  /** Wall-clock milliseconds of one unit when the chain runs as fast as it plausibly can: bounds a source expiry from below. */
  readonly fastestMs: bigint
  /** The same at its slowest: bounds a destination expiry from above. */
  readonly slowestMs: bigint
  /** Constant part of the slowest case, e.g. a sequencer outage. */
  readonly slackSeconds: bigint
}

/** Worst-case seconds for the parts of one action on this chain. */
export type SafetyMargins = {
  /** From broadcast to the required confirmations. */
  readonly claimSeconds: bigint
  readonly reorgSeconds: bigint
  readonly feeSpikeSeconds: bigint
}

/** Deposits smaller than their refund fee, where a refund pays its fee out of the deposit. */
export type SmallDeposits = {
  /** Below this no refund is possible at any fee. */
  readonly hopelessBelow: bigint
  /** Below this the refund fee may exceed the deposit. Unrefunded `writeOffAfterUnits` timelock units after expiry, it is written off. */
  readonly smallBelow: bigint
  readonly writeOffAfterUnits: bigint
}

/** How an HTLC of this chain may be funded. */
export type DepositRule =
  /** Once, with exactly the agreed amount. */
  | { readonly kind: 'exact' }
  /** Anyone may send any amount any number of times. */
  | {
      readonly kind: 'partial'
      /** How far the sum may be from the agreed amount. The destination amount is then scaled in proportion. */
      readonly toleranceBips: number
      readonly small: SmallDeposits
    }

/** `@tandem/families` has the list. */
export type FamilyName = string

export type Chain = {
  readonly id: ChainId
  readonly family: FamilyName
  /** What only chains of this family have. Opaque outside of it: the family checks and reads it. */
  readonly familyData?: object
  /** The chain's own identity, checked when we connect: 'evm:31337', 'bitcoin:regtest'. */
  readonly reference: string
  readonly displayName: string
  readonly icon: Icon
  /** The coin that pays fees. It has an id even if it cannot be swapped here. */
  readonly nativeAsset: AssetId
  /** Empty for a chain without a public explorer. */
  readonly explorerUrl: string
  /** The page of a transaction, with `{tx}` in the place of its hash; empty: the explorer has none. Default: `/tx/{tx}` of the explorer. */
  readonly explorerTxUrl?: string
  /** Average milliseconds between blocks: for estimates, never for safety. */
  readonly blockMs: bigint
  /**
   * The fastest and the slowest block time short of a halt, for chains whose timelocks do not count blocks (the others have
   * them in `clock`). The other durations must leave room for it.
   */
  readonly blockBoundsMs?: { readonly fastest: bigint; readonly slowest: bigint }
  /** Whether a height may have no block (skipped slots). If not, a node that lacks a block below its tip is faulty. */
  readonly heightsMaySkip: boolean
  /** Never 0: a transaction without a block proves nothing. Blocks, not heights: see `confirmationsOf`. */
  readonly requiredConfirmations: number
  /**
   * Reorgs of so many blocks are ordinary on this chain, deeper than its required confirmations though they may be: they halt nothing by themselves,
   * only if they remove a deposit that counted. Absent: none deeper than the required confirmations.
   */
  readonly usualReorgBlocks?: number
  /** Blocks after which we stop expecting a reorg and may forget the block hashes below. */
  readonly finalityBlocks: number
  /**
   * The block tag for finality, where nodes support one. A block is then final if it is `finalityBlocks` deep and not above the
   * tagged block.
   */
  readonly finalityTag?: 'safe' | 'finalized'
  /**
   * What a solver may have paid against deposits of this chain that are not final, in dollars, unless its operator says otherwise: less than undoing
   * `requiredConfirmations` blocks costs. Absent: no limit, because blocks are final when we act on them, or the coins have no value.
   */
  readonly unfinalUsd?: bigint
  /** Public nodes, for operators without their own. */
  readonly publicRpcs?: readonly string[]
  readonly clock: ChainClock
  /** Why the bounds of `clock` may be violated. Swaps are still allowed; the documentation shows this text. */
  readonly clockException?: string
  readonly margins: SafetyMargins
  /** In units of `clock.unit`. Durations, also where the expiry is absolute. */
  readonly timelocks: { readonly source: bigint; readonly destination: bigint }
  /** Seconds after creation in which the source side must be mined. */
  readonly fundingWindowSeconds: bigint
  /** A newest block older than this means that the chain has stopped: nothing new is started on it. */
  readonly haltSeconds: bigint
  /** How often we poll for a new block. */
  readonly pollMs: number
  /** How long a broadcast transaction may wait for a block before we raise its fee. */
  readonly feeBumpSeconds: bigint
  readonly deposits: DepositRule
  /** Whether an HTLC is a contract that must be deployed first. If not, it is part of the chain's own rules. */
  readonly needsHtlcContract: boolean
  /** A settled HTLC keeps the rent of its account until somebody closes it. Its client has the ability `rent`. */
  readonly settledHtlcKeepsRent?: true
  readonly htlcSchemas: readonly string[]
  readonly tokenSchemas: readonly string[]
}
