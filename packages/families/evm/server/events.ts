/** Reads the HTLC events of watched swaps from logs. A log counts only if it matches the swap's terms and a canonical block. */

import { type EventReader, readConsistently } from '@tandem/chain-kit/contract/event-reader.ts'
import type { BranchRead } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { FoundSwaps, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { decodeAbiParameters, getAbiItem, toEventSelector } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { type Contracts, canonicalTerms, swapIdOf } from '../terms/htlc.ts'
import { headerOf } from './blocks.ts'
import type { EvmNode, NodeLog } from './nodes/node.ts'
import { NodeRefusal } from './nodes/rpc.ts'

/** All HTLCs emit the same events. */
const initiated = getAbiItem({ abi: htlcErc20.abi, name: 'Initiated' })
const redeemed = getAbiItem({ abi: htlcErc20.abi, name: 'Redeemed' })
const selectors = [initiated, redeemed, getAbiItem({ abi: htlcErc20.abi, name: 'Refunded' })].map((event) => toEventSelector(event))
const [INITIATED, REDEEMED, REFUNDED] = selectors
const [, ...initiatedData] = initiated.inputs
const [, ...redeemedData] = redeemed.inputs

const PARALLEL_REQUESTS = 16
/** While many blocks have events, the headers of this many are requested together with their logs. */
const BUSY_BLOCKS = 16n
/** Logs of at least this many newest blocks are requested by block hash. */
const RECENT_BLOCKS = 32n

export function createEventReader(node: EvmNode, contracts: Contracts, chain: Pick<Chain, 'blockMs'>): EventReader {
  const allowedLag = allowedLagOf(chain)
  /** No node of a provider is further behind, so all of them have the blocks below. */
  const recentBlocks = allowedLag > RECENT_BLOCKS ? allowedLag : RECENT_BLOCKS
  const addresses = [...new Set(contracts.all.map((contract) => contract.address))]
  /** The last range had new events in blocks whose headers the caller did not need. */
  let isBusy = false
  const parsed = new Map<string, { readonly event: HtlcEvent | null; readonly height: bigint }>()

  type Blocks = { readonly from: bigint; readonly to: bigint; readonly lastHash: string } | { readonly blockHash: string }

  async function logsOf(blocks: Blocks, height: bigint) {
    try {
      return await node.logs({ addresses, events: selectors, ...blocks })
    } catch (error) {
      if (error instanceof NodeRefusal) throw new ChainFailure('unreachable', `the node refuses logs of block ${height}: ${error.message}`)
      throw error
    }
  }
  /** A range names no branch: without `lastHash`, providers on a stale branch could agree that an event does not exist. */
  const logsBelow = (from: bigint, next: Block) =>
    from >= next.height ? [] : logsOf({ from, to: next.height - 1n, lastHash: next.parentHash }, from)
  /** A node that lacks the block refuses its hash, whereas for a range it silently returns no logs. */
  const logsIn = ({ hash, height }: Block) => logsOf({ blockHash: hash }, height)

  /** Logs from this block on are requested by hash. Those of the last block of a range always are. */
  async function firstRecent(from: bigint, to: bigint): Promise<bigint> {
    if (to - from < recentBlocks) return from
    const first = ((await node.block('latest'))?.height ?? 0n) - recentBlocks + 1n
    return first < from ? from : first > to ? to : first
  }

  /** Null means that a reorg happened during the read. */
  async function readOnce(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[] | null> {
    const first = await firstRecent(from, to)
    const recent = await inParallel(heightsBetween(first, to), blockAt, PARALLEL_REQUESTS)
    if (recent.some((block, i) => i > 0 && block.parentHash !== recent[i - 1]?.hash)) return null
    const [lowest] = recent
    const deepLogs = lowest === undefined ? [] : await logsBelow(from, lowest)
    const { logs, swaps } = await watchedLogs(watched, [deepLogs, ...(await inParallel(recent, logsIn, PARALLEL_REQUESTS))].flat())
    const deep = new Set(logs.map((log) => log.blockHeight).filter((height) => height < first))
    const blocks = new Map([...(await inParallel([...deep], blockAt, PARALLEL_REQUESTS)), ...recent].map((block) => [block.height, block]))
    if (logs.some((log) => blocks.get(log.blockHeight)?.hash !== log.blockHash)) return null
    // The last block is the same before and after the read: so all blocks below it are of one branch.
    if ((await node.block(to))?.hash !== recent.at(-1)?.hash) return null
    return logs.sort(inChainOrder).flatMap((log) => parseEvent(log, swaps, contracts, blocks) ?? [])
  }

  /**
   * One block is asked for by its hash. A range is not, and a backend of the provider that lags would leave out its newest logs: so the
   * range begins lower, and each block is asked for again until every node has it. Null means that a reorg came in between.
   */
  async function readBranchOnce(watched: WatchedSwaps, from: bigint, end: Block, heights: readonly bigint[]): Promise<BranchRead | null> {
    const lowest = from > recentBlocks ? from - recentBlocks : 0n
    const isRange = from < end.height
    const busy = isRange && isBusy && end.height - from < BUSY_BLOCKS ? heightsBetween(from, end.height) : []
    const [found, asked] = await Promise.all([
      isRange ? logsOf({ from: lowest, to: end.height, lastHash: end.hash }, from) : logsIn(end),
      headersAt([...new Set([...heights, ...busy])]),
    ])
    const repeated = found.filter((log) => log.blockHeight < from && parsed.has(keyOf(log)))
    const { logs: fresh, swaps } = await watchedLogs(
      watched,
      found.filter((log) => !repeated.includes(log)),
    )
    const known = new Map([...asked, end].map((block) => [block.height, block]))
    const unknown = new Set(fresh.map((log) => log.blockHeight).filter((height) => !known.has(height)))
    if (isRange) isBusy = fresh.some(({ blockHeight }) => blockHeight >= from && blockHeight < end.height && !heights.includes(blockHeight))
    const others = await headersAt([...unknown])
    const blocks = new Map([...known, ...others.map((block) => [block.height, block] as const)])
    if (fresh.some((log) => blocks.get(log.blockHeight)?.hash !== log.blockHash)) return null
    const events = [...repeated, ...fresh].sort(inChainOrder).flatMap((log) => eventOf(log, swaps, blocks) ?? [])
    for (const [key, { height }] of parsed) if (height < lowest) parsed.delete(key)
    return { events, headers: [...asked, ...others] }
  }

  const headersAt = async (heights: readonly bigint[]) => (heights.length === 0 ? [] : (await node.blocks(heights)).map(headerOf))

  function eventOf(log: NodeLog, swaps: FoundSwaps, blocks: ReadonlyMap<bigint, Block>): HtlcEvent | null {
    const known = parsed.get(keyOf(log))
    if (known !== undefined) return known.event
    const event = parseEvent(log, swaps, contracts, blocks)
    parsed.set(keyOf(log), { event, height: log.blockHeight })
    return event
  }

  /** The caller reads each range once, so a partial answer would lose events. */
  async function blockAt(height: bigint): Promise<Block> {
    const block = await node.block(height)
    if (block === null) throw new ChainFailure('unreachable', `the node does not have block ${height} yet`)
    return block
  }

  return {
    async read(watched, from, to) {
      if (watched.isEmpty || addresses.length === 0 || to < from) return []
      return readConsistently(`blocks ${from} to ${to}`, () => readOnce(watched, from, to))
    },
    async readBranch(watched, from, end, heights) {
      if (watched.isEmpty || addresses.length === 0 || end.height < from) return { events: [], headers: await headersAt(heights) }
      return readConsistently(`blocks ${from} to ${end.height}`, () => readBranchOnce(watched, from, end, heights))
    },
  }
}

const NO_SWAPS: FoundSwaps = { bySwapId: () => undefined, byDeposit: () => undefined }

async function watchedLogs(
  watched: WatchedSwaps,
  found: readonly NodeLog[],
): Promise<{ readonly logs: NodeLog[]; readonly swaps: FoundSwaps }> {
  if (found.length === 0) return { logs: [], swaps: NO_SWAPS }
  const swaps = await watched.find({ swapIds: new Set(found.map(orderIdTopic)), spent: [] })
  return { logs: found.filter((log) => swaps.bySwapId(orderIdTopic(log)) !== undefined), swaps }
}

function heightsBetween(first: bigint, last: bigint): readonly bigint[] {
  return Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i))
}

/** The order id is the first indexed parameter of every event. */
function orderIdTopic(log: NodeLog): string {
  return (log.topics[1] ?? '0x').slice(2)
}

function keyOf({ blockHash, logIndex }: NodeLog): string {
  return `${blockHash} ${logIndex}`
}

function inChainOrder(a: NodeLog, b: NodeLog): number {
  return Number(a.blockHeight - b.blockHeight || a.logIndex - b.logIndex)
}

/** Null means that another contract than the swap's own emitted the log, or for other terms. */
function parseEvent(log: NodeLog, swaps: FoundSwaps, contracts: Contracts, blocks: ReadonlyMap<bigint, Block>): HtlcEvent | null {
  const swap = swaps.bySwapId(orderIdTopic(log))
  const block = blocks.get(log.blockHeight)
  if (swap === undefined || block === undefined) return null
  const { swapId, terms } = swap
  const contract = contracts.of(terms.asset)
  if (log.address !== contract.address || swapIdOf(contract, terms) !== swapId) return null
  const common = {
    swapId,
    tx: log.tx,
    index: `log:${log.logIndex}`,
    block: { height: block.height, hash: block.hash, time: block.time },
    deposit: swapId,
  }
  const [selector] = log.topics
  const agreed = canonicalTerms(terms)
  if (selector === REFUNDED) return { ...common, kind: 'refunded', secret: null, paid: terms.amount }
  if (selector === REDEEMED) {
    const secret = decoded(log, () => decodeAbiParameters(redeemedData, log.data))[0].slice(2)
    if (!isSecretFor(secret, agreed.secretHash.slice(2))) throw contradiction(log)
    return { ...common, kind: 'redeemed', secret, paid: terms.amount }
  }
  if (selector !== INITIATED) throw contradiction(log)
  const [initiator, redeemer, timelock, amount, secretHash] = decoded(log, () => decodeAbiParameters(initiatedData, log.data))
  const agrees =
    initiator.toLowerCase() === agreed.initiator &&
    redeemer.toLowerCase() === agreed.redeemer &&
    timelock === agreed.timelock &&
    amount === agreed.amount &&
    secretHash === agreed.secretHash
  if (!agrees) throw contradiction(log)
  return { ...common, kind: 'initiated', amount, expiresAt: block.time + terms.timelock }
}

function decoded<T>(log: NodeLog, decode: () => T): T {
  try {
    return decode()
  } catch {
    throw contradiction(log)
  }
}

/**
 * The order id is a hash of the terms, so our contract cannot emit this: the node is faulty or lies. Nobody can cause it with a transaction or
 * an order. Skipping it would lose the true event, so reading stops until the node is right.
 */
function contradiction(log: NodeLog): ChainFailure {
  return new ChainFailure(
    'unreachable',
    `log ${log.logIndex} of block ${log.blockHeight} contradicts the terms of its order: the node is wrong`,
  )
}
