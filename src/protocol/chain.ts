/** What a chain is, as data. The facts about each network live in `registry/`. */
import type { AssetId } from './asset.ts'
import type { Icon } from './icon.ts'

export type ChainId = string

export type FamilyName = 'bitcoin' | 'evm' | 'tron' | 'hypercore' | 'starknet' | 'solana' | 'sui' | 'xrpl'

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
  /** 'relative': a timelock counts from the block of its initiation. 'absolute': it is a point of the chain's clock, whenever it is mined. */
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

/** How an EVM chain charges for transactions. */
export type FeeModel = {
  /** 'legacy': transactions with one gas price (EIP-155); 'eip1559': a base fee that is burned and a tip. */
  readonly gasPrice: 'eip1559' | 'legacy'
  /**
   * What is charged for publishing a transaction on another chain, beside or inside its gas.
   * none       nothing, or included in the gas price
   * in-gas     in the estimate of its gas (Arbitrum)
   * op-stack   out of the sender's balance, as the chain's GasPriceOracle says
   * citrea     out of the sender's balance, by the size of the change of state
   */
  readonly dataFee: 'none' | 'in-gas' | 'op-stack' | 'citrea'
  /** Whatever a node claims, we never offer more for one gas: in the smallest unit of the chain's coin. */
  readonly maxPerGas: bigint
}

export type Chain = {
  readonly id: ChainId
  readonly family: FamilyName
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
  /** Where fees are counted per gas. */
  readonly fees?: FeeModel
  /** Its nodes tell of a transaction only once it is in a block, so that one they do not know may be on its way all the same. */
  readonly hidesUnmined?: true
  /** Nodes that anyone may ask, for those who have none of their own. */
  readonly publicRpcs?: readonly string[]
  readonly clock: ChainClock
  /** Why the bounds of `clock` do not hold at all times. Swaps are allowed all the same; it is said in the documentation. */
  readonly clockException?: string
  readonly margins: SafetyMargins
  /** In units of `clock.unit`. */
  readonly timelocks: { readonly source: bigint; readonly destination: bigint }
  /** Seconds after creation in which the source side must be mined. */
  readonly fundingWindowSeconds: bigint
  /** A newest block older than this means that the chain has stopped: nothing new is started on it. */
  readonly haltSeconds: bigint
  /** How often we look for a new block. */
  readonly pollMs: number
  /** How long a broadcast transaction may wait for a block before we raise its fee. */
  readonly feeBumpSeconds: bigint
  /**
   * Where anyone may send any amount any number of times: by how much the sum may miss the agreed amount and still be swapped, in proportion.
   * Absent where an HTLC is funded once, exactly.
   */
  readonly depositToleranceBips?: number
  readonly smallDeposits?: SmallDeposits
  /** Clients of this chain expect `<tx>:<block number>` as an initiation's hash. */
  readonly initiateHashIncludesBlock?: boolean
  readonly htlcSchemas: readonly string[]
  readonly tokenSchemas: readonly string[]
}
