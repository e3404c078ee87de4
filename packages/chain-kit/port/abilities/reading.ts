/** Some nodes can answer more than the core: finality, mempool, branches, new blocks, costs, and whether an account can pay or be paid. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { WatchedSwaps } from '../watched-swaps.ts'

/**
 * Reads which blocks are final from nodes of a chain with a `finalityTag`. If it is absent, depth alone counts.
 * The result is the height of the tagged block, 0 while it is unknown. Null means that the nodes do not support the tag, so depth alone counts; this
 * does not change while connected.
 */
export type FinalHeight = () => Promise<bigint | null>

/** Like `events`, for the transactions in the mempool of nodes: their block is null. If it is absent, an event is first seen in a block. */
export type UnconfirmedEvents = (watched: WatchedSwaps) => Promise<readonly HtlcEvent[]>

/**
 * Like `events`, in blocks [from, end.height] of the branch that ends in `end`, with fewer requests. Rejects when the node is on another branch.
 * It is absent where nodes return events by height alone, so that the caller must read headers afterwards.
 * Events of a single block are those of its hash. After a range the caller checks that `end` and the blocks of the events are
 * canonical. It may repeat events of recent blocks below `from`, and add some that the node did not have earlier.
 * `heights` are those of the headers that the caller needs for that check. They are read with the events, in one batch where the node supports it.
 */
export type BranchEvents = (watched: WatchedSwaps, from: bigint, end: Block, heights: readonly bigint[]) => Promise<BranchRead>

export type BranchRead = {
  readonly events: readonly HtlcEvent[]
  /** These headers were canonical when they were read: those at `heights`, without skipped ones, and perhaps more. */
  readonly headers: readonly Block[]
}

/**
 * Calls `onBlock` soon after each new block, perhaps several times, perhaps for a block that never existed. It is only a hint that saves waiting for the
 * next poll, and polls go on. A connection that breaks is opened again. Returns a function that ends the subscription.
 */
export type NewBlocks = (onBlock: () => void) => () => void

/** Operators get a report on each provider of a connection. */

export type InspectProviders = () => Promise<readonly ProviderReport[]>

export type ProviderReport = {
  /** The name is the host. Other parts of the URL may hold a key. */
  readonly name: string
  /** An error means that the provider does not answer or serves another chain. Then nothing else is known. */
  readonly error: string | null
  readonly height: bigint
  /** This counts blocks behind the provider with the highest block. */
  readonly behind: bigint
  readonly isLate: boolean
  /** True means that the provider serves events of a week ago, which a party needs after a long downtime. */
  readonly hasOldEvents: boolean
  readonly tags: readonly string[]
}

/**
 * The cost is that of the transactions of one HTLC at current fees, in the smallest unit of the chain's own coin (`Chain.nativeAsset`).
 * Each is a transaction of its own; a batch costs less.
 */
export type LegCost = {
  readonly decimals: number
  /** The cost leaves out what comes back later, such as rent. */
  readonly initiate: bigint
  readonly redeem: bigint
  readonly refund: bigint
  /** An initiation whose redeemer never held the asset costs this much more, and so does one's own first redeem. The default is 0. */
  readonly newRecipient?: bigint
  /** An initiation also takes this rent or reserve, until its HTLC is settled. The default is 0. */
  readonly bound?: bigint
  /** The account must always keep this part of `balance`. The default is 0. */
  readonly kept?: bigint
  /** An initiation is not sent unless this much is left for redeems. The default is 0. */
  readonly leaves?: bigint
}

/** Makes a fixed number of requests to nodes. Callers cache the result. Throws `ChainFailure` if the nodes do not answer. */
export type ReadLegCost = (asset: AssetId) => Promise<LegCost>

/**
 * Says why this address cannot receive the asset now, in words for its owner; null if it can. Throws `ChainFailure` if the nodes do not answer.
 * A valid address may be unable to receive: its account does not exist, or is a contract that rejects the money. It is absent where every valid address
 * can be paid. Strangers choose the address, as often as the rate limit allows, so it makes a fixed number of requests to each provider, and no search.
 */
export type CheckRecipient = (address: string, asset: AssetId, payout: PlannedPayout | null) => Promise<string | null>

/** A planned payout is one of an HTLC that is not initiated yet. Null stands for an address that only gets refunds of its own money. */
export type PlannedPayout = {
  readonly amount: bigint
  /** This account will initiate the HTLC, if it is known, and holds the amount. */
  readonly payer: string | null
  /** If false, a recipient that could reject the money is refused, even if it accepts it now. */
  readonly isTrusted: boolean
  /** It is refunded what others may have paid at a deposit address. Nobody pays for an account that the recipient lacks. */
  readonly isRefund?: true
}

/**
 * Says why an account of ours cannot send, e.g. because it is not deployed; null if it can. It is absent where every key can send. Throws
 * `ChainFailure` if the nodes do not answer.
 */
export type CheckSender = (address: string) => Promise<SenderProblem | null>

export type SenderProblem = {
  readonly text: string
  readonly advice: string
}

/** Reads a price feed that others keep on the chain. Rejects if the contract does not answer as a feed. It judges neither sign nor age of the answer. */
export type Oracle = (contract: string) => Promise<OracleAnswer>

export type OracleAnswer = {
  readonly answer: bigint
  readonly decimals: number
  /** The time is in unix seconds. */
  readonly updatedAt: bigint
}
