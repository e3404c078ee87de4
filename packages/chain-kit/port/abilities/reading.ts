/** What some nodes can tell beyond the core: finality, mempool, branches, new blocks, costs, and whether an account can pay or be paid. */

import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { WatchedSwaps } from '../watched-swaps.ts'

/**
 * Nodes of a chain with a `finalityTag` say which blocks are final. Absent: depth alone counts.
 * The height of the tagged block, 0 while it is unknown; null when the nodes do not support the tag, so that depth alone counts.
 * Null does not change while connected.
 */
export type FinalHeight = () => Promise<bigint | null>

/** The mempool of nodes can be searched. Absent: an event is first seen in a block. As `events`, of unconfirmed transactions: their block is null. */
export type UnconfirmedEvents = (watched: WatchedSwaps) => Promise<readonly HtlcEvent[]>

/**
 * Nodes return the events of a block by its hash. Absent: by height alone, so that the caller must read headers afterwards.
 * As `events`, in blocks [from, end.height] of the branch that ends in `end`, for fewer requests. Rejects when the node is on another branch.
 * Events of a single block are those of its hash. After a range the caller checks that `end` and the blocks of the events are
 * canonical. May repeat events of recent blocks below `from`, and add some that the node did not have earlier.
 * `heights`: of the headers that the caller needs for that check. They are asked for with the events, in one batch where the node supports it.
 */
export type BranchEvents = (watched: WatchedSwaps, from: bigint, end: Block, heights: readonly bigint[]) => Promise<BranchRead>

export type BranchRead = {
  readonly events: readonly HtlcEvent[]
  /** Canonical when they were read: those at `heights`, without skipped ones, and perhaps more. */
  readonly headers: readonly Block[]
}

/** Nodes that say when there is a new block. It only saves waiting for the next poll: nobody believes it, and polls go on. */

/**
 * Calls `onBlock` soon after each new block, perhaps several times, perhaps for a block that never was. A connection that breaks is opened
 * again. Returns a function that ends it.
 */
export type NewBlocks = (onBlock: () => void) => () => void

/** For operators: a report on each provider of a connection. */

export type InspectProviders = () => Promise<readonly ProviderReport[]>

export type ProviderReport = {
  /** Its host: the rest of its URL may hold a key. */
  readonly name: string
  /** Null unless it does not answer or serves another chain; then nothing else is known. */
  readonly error: string | null
  readonly height: bigint
  /** Blocks behind the provider with the highest block. */
  readonly behind: bigint
  readonly isLate: boolean
  /** It serves events of a week ago, which a party needs after a long downtime. */
  readonly hasOldEvents: boolean
  /** The finality tags that it knows. */
  readonly tags: readonly string[]
}

/** What the transactions of one HTLC cost at current fees, in the smallest unit of the chain's own coin (`Chain.nativeAsset`), as a single transaction: a batch costs less. */
export type LegCost = {
  /** Of the chain's own coin, which need not be an asset that is swapped here. */
  readonly decimals: number
  /** What is got back later, such as rent, does not count. */
  readonly initiate: bigint
  readonly redeem: bigint
  readonly refund: bigint
  /** What an initiation costs more if its redeemer never held the asset, and a redeem of one's own the first time; absent: nothing. */
  readonly newRecipient?: bigint
  /** What an initiation takes besides, until its HTLC is settled: rent, or a reserve; absent: nothing. */
  readonly bound?: bigint
  /** What the account must always keep of the amount that `balance` says; absent: nothing. */
  readonly kept?: bigint
}

/** A fixed number of requests to nodes. Callers cache it. Throws `ChainFailure` if the nodes do not answer. */
export type ReadLegCost = (asset: AssetId) => Promise<LegCost>

/**
 * Why this address cannot receive the asset now, in words for its owner; null if it can. Throws `ChainFailure` if the nodes do not answer.
 * A valid address may be unable to receive: its account does not exist, or is a contract that rejects the money. Absent: every valid address can be paid.
 * Strangers choose the address, as often as the rate limit allows: so make a fixed number of requests to each provider, and no search.
 */
export type CheckRecipient = (address: string, asset: AssetId, payout: PlannedPayout | null) => Promise<string | null>

/** A payout of an HTLC that is not initiated yet. Null instead: the address only gets refunds of its own money. */
export type PlannedPayout = {
  readonly amount: bigint
  /** The account that will initiate it, if it is known: one that holds the amount. */
  readonly payer: string | null
  /** False: a recipient that could reject the money is refused, even if it accepts it now. */
  readonly isTrusted: boolean
}

/** An account of ours may be unable to send: it is not deployed. Absent: every key can send. Null: the account can send. Throws `ChainFailure` if the nodes do not answer. */
export type CheckSender = (address: string) => Promise<SenderProblem | null>

export type SenderProblem = {
  readonly text: string
  /** What an operator does about it. */
  readonly advice: string
}

/** Price feeds that others keep on the chain can be read. Rejects if the contract does not answer as a feed. Neither the sign nor the age of the answer is judged. */
export type Oracle = (contract: string) => Promise<OracleAnswer>

export type OracleAnswer = {
  readonly answer: bigint
  readonly decimals: number
  /** Unix seconds. */
  readonly updatedAt: bigint
}
