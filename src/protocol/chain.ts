/** What a chain is, as data. The facts about each network live in `registry/`. */
import type { AssetId } from './asset.ts'

export type ChainId = string

export type FamilyName = 'bitcoin' | 'evm' | 'tron' | 'hypercore' | 'starknet' | 'solana' | 'sui' | 'xrpl'

/** One block header, or the equivalent that orders and dates events on this chain. */
export type Block = {
  readonly height: bigint
  readonly hash: string
  readonly parentHash: string
  /** Unix seconds, as the chain itself states it. */
  readonly time: bigint
}

/** How a chain counts time for its timelocks, and how wrong its clock can be. */
export type ChainClock = {
  readonly unit: 'blocks' | 'seconds'
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

export type Chain = {
  readonly id: ChainId
  readonly family: FamilyName
  /** The chain's own identity, checked when we connect: 'evm:31337', 'bitcoin:regtest'. */
  readonly reference: string
  readonly displayName: string
  readonly nativeAsset: AssetId
  readonly explorerUrl: string
  /** Never 0: a transaction without a block proves nothing. */
  readonly requiredConfirmations: number
  /** Blocks after which we stop expecting a reorg and may forget the block hashes below. */
  readonly finalityBlocks: number
  readonly clock: ChainClock
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
  /** Clients of this chain expect `<tx>:<block number>` as an initiation's hash. */
  readonly initiateHashIncludesBlock?: boolean
  readonly htlcSchemas: readonly string[]
  readonly tokenSchemas: readonly string[]
}
