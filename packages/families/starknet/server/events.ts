/** Reads the events of watched swaps. An event counts only if it is the swap's own contract's, matches the terms, and is in a canonical block. */

import { type EventReader, inChainOrder, readConsistently } from '@tandem/chain-kit/contract/event-reader.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { decodeEvent, eventKeys, type OrderEvent } from '../contract/client/events.ts'
import { type Contracts, orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import { headerOf } from './blocks.ts'
import { type EventQuery, type Felt, type NodeEvent, NodeRefusal, type StarknetNode } from './nodes/node.ts'

/** For up to this many open swaps, only their events are requested: strangers' use then costs nothing. Some nodes accept 16 keys. */
const FEW_SWAPS = 12
/** A range begins at least this many blocks lower than necessary. */
const REPEATED_BLOCKS = 8n

type Search = {
  readonly queries: readonly Pick<EventQuery, 'address' | 'keys'>[]
  ofEvents(events: readonly NodeEvent[]): Promise<(id: string) => WatchedSwap | undefined>
}
type Blocks = { readonly from: bigint; readonly to: bigint; readonly lastHash: string } | { readonly blockHash: string }

export function createEventReader(node: StarknetNode, contracts: Contracts, chain: Pick<Chain, 'blockMs'>): EventReader {
  const allowedLag = allowedLagOf(chain)
  const repeatedBlocks = allowedLag > REPEATED_BLOCKS ? allowedLag : REPEATED_BLOCKS
  const addresses = [...new Set(contracts.all.map(({ address }) => address))]
  const selectors = Object.values(eventKeys)

  /** Call this after the newest block was read: an order that is made later has no event up to it. */
  async function searchOf(watched: WatchedSwaps): Promise<Search> {
    const { swaps } = await watched.active(FEW_SWAPS + 1, null)
    if (swaps.length > FEW_SWAPS) {
      return {
        queries: addresses.map((address) => ({ address, keys: [selectors] })),
        async ofEvents(events) {
          const { bySwapId } = await watched.find({ swapIds: new Set(events.map(orderOf)), spent: [] })
          return bySwapId
        },
      }
    }
    const own = new Map(swaps.map((swap) => [swap.swapId, swap]))
    const ids = swaps.map(({ swapId }): Felt => `0x${swapId}`)
    return {
      queries: ids.length === 0 ? [] : addresses.map((address) => ({ address, keys: [selectors, ids] })),
      ofEvents: async () => (id) => own.get(id),
    }
  }

  async function eventsIn(query: Search['queries'][number], blocks: Blocks): Promise<readonly NodeEvent[]> {
    try {
      return await node.events({ ...query, ...blocks })
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      const where = 'from' in blocks ? `blocks ${blocks.from} to ${blocks.to}` : `block ${blocks.blockHash}`
      throw new ChainFailure('unreachable', `the node refuses events of ${where}: ${error.message}`)
    }
  }

  const headersAt = async (heights: readonly bigint[]) => (heights.length === 0 ? [] : (await node.blocks(heights)).map(headerOf))

  /** The result is null if a reorg happened meanwhile. `last` ends the range. Headers of `heights` are read with the events. */
  async function readOnce(search: Search, blocks: Blocks, last: Block, heights: readonly bigint[]) {
    const [found, asked] = await Promise.all([Promise.all(search.queries.map((query) => eventsIn(query, blocks))), headersAt(heights)])
    const events = found.flat()
    const swapOf = events.length === 0 ? () => undefined : await search.ofEvents(events)
    const ours = events.filter((event) => swapOf(orderOf(event)) !== undefined)
    const known = new Map([...asked, last].map((block) => [block.height, block]))
    const unknown = new Set(ours.map(({ blockHeight }) => blockHeight).filter((height) => !known.has(height)))
    const others = await headersAt([...unknown].sort((a, b) => Number(a - b)))
    for (const block of others) known.set(block.height, block)
    if (ours.some(({ blockHeight, blockHash }) => known.get(blockHeight)?.hash !== blockHash)) return null
    const parsed = ours.flatMap((event) => {
      const [swap, block] = [swapOf(orderOf(event)), known.get(event.blockHeight)]
      return swap === undefined || block === undefined ? [] : (parseEvent(event, swap, block, contracts) ?? [])
    })
    return { events: parsed.sort(inChainOrder), headers: [...asked, ...others] }
  }

  return {
    async read(watched, from, to) {
      if (watched.isEmpty || addresses.length === 0 || to < from) return []
      const search = await searchOf(watched)
      return readConsistently(`blocks ${from} to ${to}`, async () => {
        // The caller reads each range once, so a partial answer would lose events.
        const last = await node.block(to)
        if (last === null) throw new ChainFailure('unreachable', `the node does not have block ${to} yet`)
        const read = await readOnce(search, { from, to, lastHash: last.hash }, headerOf(last), [])
        // The last block is the same before and after, so all blocks below it are of one branch.
        return read !== null && (await node.block(to))?.hash === last.hash ? read.events : null
      })
    },
    /**
     * One block is requested by its hash. A range is not, and a lagging backend of the provider would omit its newest events. So the range
     * begins lower, and each block is read again until every node has it.
     */
    async readBranch(watched, from, end, heights) {
      if (watched.isEmpty || addresses.length === 0 || end.height < from) return { events: [], headers: await headersAt(heights) }
      const search = await searchOf(watched)
      const lowest = from > repeatedBlocks ? from - repeatedBlocks : 0n
      const blocks = from === end.height ? { blockHash: end.hash } : { from: lowest, to: end.height, lastHash: end.hash }
      return readConsistently(`blocks ${from} to ${end.height}`, () => readOnce(search, blocks, end, heights))
    },
  }
}

/** The order id is the second key of every event; the first is its name. The result has the form of swap ids. */
function orderOf({ keys }: NodeEvent): string {
  return (keys[1] ?? '0x').slice(2)
}

/** The result is null unless the swap's own contract emitted the event, for the swap's own terms. */
function parseEvent(event: NodeEvent, { swapId, terms }: WatchedSwap, block: Block, contracts: Contracts): HtlcEvent | null {
  const contract = contracts.of(terms.asset)
  if (event.address !== contract.address || swapIdOf(contract, terms) !== swapId) return null
  const order = decodeEvent(event.keys, event.data)
  if (order === null) throw contradiction(event)
  const common = {
    swapId,
    tx: event.tx,
    // An order emits each of its events once, so the place in the transaction is not needed.
    index: `${order.kind}:${swapId}`,
    block: { height: block.height, hash: block.hash, time: block.time },
    deposit: swapId,
  }
  switch (order.kind) {
    case 'refunded':
      return { ...common, kind: 'refunded', secret: null, paid: terms.amount }
    case 'redeemed':
      if (!isSecretFor(order.secret, terms.secretHash.toLowerCase())) throw contradiction(event)
      return { ...common, kind: 'redeemed', secret: order.secret, paid: terms.amount }
    case 'initiated':
      if (!isSameOrder(order.terms, orderTermsOf(terms))) throw contradiction(event)
      return { ...common, kind: 'initiated', amount: terms.amount, expiresAt: block.time + terms.timelock }
  }
}

type Initiated = Extract<OrderEvent, { readonly kind: 'initiated' }>['terms']

function isSameOrder(a: Initiated, b: Initiated): boolean {
  const keyOf = ({ initiator, redeemer, timelock, amount, secretHash }: Initiated) =>
    [initiator, redeemer, timelock, amount, secretHash].join(' ')
  return keyOf(a) === keyOf(b)
}

/**
 * The order id is a hash of the terms, so our contract cannot emit this: the node is faulty or lies. Nobody can cause it with a transaction
 * or an order. Skipping the event would lose the true one, so reading stops until the node is right.
 */
function contradiction({ tx, blockHeight }: NodeEvent): ChainFailure {
  return new ChainFailure(
    'unreachable',
    `an event of transaction ${tx} in block ${blockHeight} contradicts the terms of its order: the node is wrong`,
  )
}
