/** What a chain is, as data. The facts about each network live in `registry/`. */
import type { AssetId } from './asset.ts'
import type { ChainId } from './chain-id.ts'
import type { Icon } from './icon.ts'
import type { FamilyData } from './registry/family-data.ts'

/** One block header, or the equivalent that orders and dates events on this chain. */
export type Block = {
  /** The slot where a chain counts slots: it grows by one per slot, and may skip some. */
  readonly height: bigint
  readonly hash: string
  readonly parentHash: string
  /** Unix seconds, as the chain itself states it. Blocks within one second have the same. */
  readonly time: bigint
  /** Where heights may skip: which block of the chain it is, counted without gaps. Absent elsewhere, where heights count blocks. */
  readonly ordinal?: bigint
}

/** How a chain counts time for its timelocks, and how wrong its clock can be. */
export type ChainClock = {
  /**
   * What a timelock counts. 'slots' are counted like blocks, by `Block.height`; 'seconds' and 'milliseconds' by `Block.time`,
   * i.e. by the clock of the chain.
   */
  readonly unit: 'blocks' | 'slots' | 'seconds' | 'milliseconds'
  /**
   * 'relative': a timelock counts from the block of its initiation. 'absolute': the initiation names the point of the chain's clock at which it
   * ends. Its initiator computes that when it signs; everyone else reads it from the event.
   */
  readonly expiry: 'relative' | 'absolute'
  /** Wall-clock milliseconds of one unit when the chain runs as fast as it plausibly can: bounds a source expiry from below. */
  readonly fastestMs: bigint
  /** The same at its slowest: bounds a destination expiry from above. */
  readonly slowestMs: bigint
  /** Constant part of the slowest case, e.g. a sequencer outage. */
  readonly slackSeconds: bigint
}

/** Seconds that acting on this chain may take, each in its bad case. */
export type SafetyMargins = {
  /** From broadcast to the required confirmations. */
  readonly claimSeconds: bigint
  readonly reorgSeconds: bigint
  readonly feeSpikeSeconds: bigint
}

/** Deposits that are not worth the fee of giving them back, where fees come out of the deposit. */
export type SmallDeposits = {
  /** Below this no refund is possible at any fee. */
  readonly hopelessBelow: bigint
  /** Below this it may be too dear for a long time; written off when it still is so many timelock units after its expiry. */
  readonly smallBelow: bigint
  readonly patienceUnits: bigint
}

/** How an HTLC of this chain may be funded. */
export type DepositRule =
  /** Once, with exactly the agreed amount. */
  | { readonly kind: 'exact' }
  /** Anyone may send any amount any number of times. */
  | {
      readonly kind: 'partial'
      /** By how much the sum may miss the agreed amount and still be swapped, in proportion. */
      readonly toleranceBips: number
      readonly small: SmallDeposits
    }

export type Chain = ChainData & FamilyData

type ChainData = {
  readonly id: ChainId
  /** The chain's own identity, checked when we connect: 'evm:31337', 'bitcoin:regtest'. */
  readonly reference: string
  readonly displayName: string
  readonly icon: Icon
  /** What fees are paid in. It has an id whether or not it is an asset that can be swapped here. */
  readonly nativeAsset: AssetId
  /** Empty for a chain that no public explorer shows. */
  readonly explorerUrl: string
  /** Milliseconds from one block to the next as users find it: for estimates, never for safety. */
  readonly blockMs: bigint
  /**
   * The same at its fastest, and at its slowest short of a halt, where timelocks do not count blocks (there `clock` has them):
   * what the other durations must leave room for.
   */
  readonly blockBoundsMs?: { readonly fastest: bigint; readonly slowest: bigint }
  /** Whether there may be heights without a block (skipped slots). Where not, a node that lacks a block below its tip is faulty. */
  readonly heightsMaySkip: boolean
  /** Never 0: a transaction without a block proves nothing. Blocks, not heights: see `confirmationsOf`. */
  readonly requiredConfirmations: number
  /** Blocks after which we stop expecting a reorg and may forget the block hashes below. */
  readonly finalityBlocks: number
  /**
   * Where the chain itself says what can no longer be undone: by which name its nodes know that block. Final is then what is
   * `finalityBlocks` deep and not above it.
   */
  readonly finalityTag?: 'safe' | 'finalized'
  /** Nodes that anyone may ask, for those who have none of their own. */
  readonly publicRpcs?: readonly string[]
  readonly clock: ChainClock
  /** Why the bounds of `clock` do not hold at all times. Swaps are allowed all the same; it is said in the documentation. */
  readonly clockException?: string
  readonly margins: SafetyMargins
  /** In units of `clock.unit`. Durations, also where the expiry is absolute. */
  readonly timelocks: { readonly source: bigint; readonly destination: bigint }
  /** Seconds after creation in which the source side must be mined. */
  readonly fundingWindowSeconds: bigint
  /** A newest block older than this means that the chain has stopped: nothing new is started on it. */
  readonly haltSeconds: bigint
  /** How often we look for a new block. */
  readonly pollMs: number
  /** How long a broadcast transaction may wait for a block before we raise its fee. */
  readonly feeBumpSeconds: bigint
  readonly deposits: DepositRule
  /** How clients of this chain expect an initiation to be named: by its transaction, or by that and the number of its block. */
  readonly initiateHash: 'tx' | 'tx:block'
  readonly htlcSchemas: readonly string[]
  readonly tokenSchemas: readonly string[]
}
