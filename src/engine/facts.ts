/** Loads the facts of orders: from the database, or, before money moves, from the chains themselves. */
import type { ChainClient } from '../chains/port/client.ts'
import { ChainFailure } from '../chains/port/failure.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import type { HtlcEvent } from '../protocol/htlc.ts'
import type { Leg, Swap } from '../protocol/order.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import type { OrderFacts } from '../protocol/state.ts'
import type { Tip } from '../protocol/swap-state.ts'
import { finalHeightOf, readCursor, readEvents, readTips } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import type { OrderSnapshot, StoredOrder } from '../store/orders/orders.ts'
import { readHeaders } from './headers.ts'
import { createWatchedSwaps } from './watched-swaps.ts'

const NOTHING_SEEN: Tip = { height: 0n, time: 0n }

/** As recorded by the watchers. Good enough to display and to plan, not to pay. */
export async function loadFacts(db: Database, registry: Registry, orders: readonly StoredOrder[], now: bigint): Promise<OrderFacts[]> {
  const swaps = orders.flatMap(({ order }) => [order.source, order.destination])
  const [tips, events] = await Promise.all([readTips(db), readEvents(db, swaps)])
  const eventsOf = (swap: Swap) => events.get(`${swap.chain} ${swap.swapId}`) ?? []
  return orders.map((stored) => {
    const { source, destination } = stored.order
    return {
      ...storedFacts(registry, stored),
      tips: { source: tips.get(source.chain) ?? NOTHING_SEEN, destination: tips.get(destination.chain) ?? NOTHING_SEEN },
      events: { source: eventsOf(source), destination: eventsOf(destination) },
      now,
    }
  })
}

/** The same for an order that was read together with its events and tips. */
export function factsOf(registry: Registry, { stored, tips, events }: OrderSnapshot, now: bigint): OrderFacts {
  return {
    ...storedFacts(registry, stored),
    tips: { source: tips.source ?? NOTHING_SEEN, destination: tips.destination ?? NOTHING_SEEN },
    events,
    now,
  }
}

export type LiveView = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly now: () => bigint
}

/**
 * As the chains are at this moment: every event's block is canonical, and nothing up to the newest block is missing.
 * `mayBeOld`: the legs for which recorded facts are enough if their nodes do not answer or disagree.
 */
export async function loadLiveFacts(view: LiveView, stored: StoredOrder, mayBeOld: readonly Leg[]): Promise<OrderFacts> {
  const { db, registry, clients } = view
  const { source, destination } = stored.order
  const readLeg = async (leg: Leg, swap: Swap): Promise<LegFacts> => {
    try {
      return await readFromChain(db, clientFor(clients, swap.chain), swap)
    } catch (error) {
      if (mayBeOld.includes(leg) && error instanceof ChainFailure) return readRecorded(db, swap)
      throw error
    }
  }
  const [liveSource, liveDestination] = await Promise.all([readLeg('source', source), readLeg('destination', destination)])
  return {
    ...storedFacts(registry, stored),
    tips: { source: liveSource.tip, destination: liveDestination.tip },
    events: { source: liveSource.events, destination: liveDestination.events },
    now: view.now(),
  }
}

function storedFacts(registry: Registry, stored: StoredOrder): Omit<OrderFacts, 'tips' | 'events' | 'now'> {
  const { order } = stored
  return {
    order,
    chains: { source: registry.chain(order.source.chain), destination: registry.chain(order.destination.chain) },
    grants: stored.grants,
    fill: stored.fill,
    declined: stored.declined,
    prefund: stored.prefund,
    clientSecret: stored.clientSecret,
    secretShown: stored.secretShown,
    seenSecret: stored.seenSecret,
  }
}

type LegFacts = { readonly tip: Tip; readonly events: readonly HtlcEvent[] }

async function readRecorded(db: Database, swap: Swap): Promise<LegFacts> {
  const events = (await readEvents(db, [swap])).get(`${swap.chain} ${swap.swapId}`) ?? []
  return { tip: (await readCursor(db, swap.chain)) ?? NOTHING_SEEN, events }
}

async function readFromChain(db: Database, client: ChainClient, swap: Swap): Promise<LegFacts> {
  // Read the cursor first: events that the watcher records meanwhile are above it, and are read again below.
  const cursor = await readCursor(db, swap.chain)
  if (cursor === null) throw new ChainFailure('unreachable', `${swap.chain} was never watched`)
  const known = (await readEvents(db, [swap])).get(`${swap.chain} ${swap.swapId}`) ?? []
  const mined = known.filter((event) => event.block !== null && event.block.height <= cursor.height)
  const newest = await client.tip()
  const tip = { ...newest, ...(await finalityNow(db, client, newest)) }
  const deposits = mined.filter((event) => event.kind === 'initiated').map((event) => event.deposit)
  const watched = createWatchedSwaps([{ swapId: swap.swapId, terms: swap.terms, deposits }])
  const newer = tip.height > cursor.height ? await client.events(watched, cursor.height + 1n, tip.height) : []
  const minedNow = [...mined, ...newer]
  const knownDeposits = minedNow.filter((event) => event.kind === 'initiated').map((event) => event.deposit)
  const knowing = createWatchedSwaps([{ swapId: swap.swapId, terms: swap.terms, deposits: knownDeposits }])
  const unconfirmed = (await client.unconfirmedEvents?.(knowing)) ?? []
  await assertCanonical(client, [...minedNow.flatMap((event) => (event.block === null ? [] : [event.block])), cursor, tip])
  const seen = new Set(minedNow.map((event) => `${event.tx} ${event.index}`))
  return { tip, events: [...minedNow, ...unconfirmed.filter((event) => !seen.has(`${event.tx} ${event.index}`))] }
}

/** The higher of the node's final height and ours, which never goes back. Never above the newest block. */
async function finalityNow(db: Database, client: ChainClient, { height: newest }: Tip): Promise<Pick<Tip, 'finalHeight'>> {
  const said = (await client.finalHeight?.()) ?? null
  if (said === null) return {}
  const possible = said < newest ? said : newest
  const recorded = await finalHeightOf(db, client.chain.id)
  return { finalHeight: recorded !== null && recorded > possible ? recorded : possible }
}

async function assertCanonical(client: ChainClient, blocks: readonly { readonly height: bigint; readonly hash: string }[]): Promise<void> {
  const headers = await readHeaders(
    client,
    blocks.map(({ height }) => height),
  )
  const gone = blocks.find(({ height, hash }) => headers.get(height)?.hash !== hash)
  if (gone !== undefined)
    throw new ChainFailure('unreachable', `${client.chain.id} is reorganising: block ${gone.height} is no longer ${gone.hash}`)
}

/** Orders on a chain that was removed from the configuration must not block the others. */
export function isServed(registry: Registry, { order }: StoredOrder): boolean {
  return registry.isServed(order.source.chain) && registry.isServed(order.destination.chain)
}

export function clientFor(clients: ReadonlyMap<ChainId, ChainClient>, chain: ChainId): ChainClient {
  const client = clients.get(chain)
  if (client === undefined) throw new Error(`no connection is configured for ${chain}`)
  return client
}
