/** Loads the facts of orders: from the database, or, before money moves, from the chains themselves. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Leg, Swap } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderFacts } from '@tandem/protocol/state.ts'
import type { Tip } from '@tandem/protocol/swap-state.ts'
import { type ActionFacts, type ActionFactsQuery, type RecordedLeg, readActionFacts } from '../store/actions/action-facts.ts'
import type { SwapEvents } from '../store/chain/considered-events.ts'
import { finalHeightOf, readSwapEvents, readSwapFacts, readTips } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import type { OrderSnapshot, StoredOrder } from '../store/orders/orders.ts'
import type { FreshPoll, FreshPolls } from './chain-watcher.ts'
import type { DifferenceReport } from './evidence/differences.ts'
import { type FactsAge, goodForMs } from './fresh-facts.ts'
import { readHeaders } from './headers.ts'
import { ACCEPTED_POLL_MS, ACCEPTED_PUBLISHED_POLL_MS, MAX_ACCEPTED_POLL_MS } from './times.ts'
import { createWatchedSwaps } from './watched-swaps.ts'

const NOTHING_SEEN: Tip = { height: 0n, time: 0n }
const NO_EVENTS: SwapEvents = { events: [], unreadDeposits: 0 }

/** Loads facts as the watchers recorded them. These are good enough to display and to plan, not to pay. */
export async function loadFacts(db: Database, registry: Registry, orders: readonly StoredOrder[], now: bigint): Promise<OrderFacts[]> {
  const swaps = orders.flatMap(({ order }) => [order.source, order.destination])
  const [tips, events] = await Promise.all([readTips(db), readSwapEvents(db, swaps)])
  const eventsOf = (swap: Swap) => events.get(`${swap.chain} ${swap.swapId}`) ?? NO_EVENTS
  return orders.map((stored) => {
    const { source, destination } = stored.order
    return {
      ...storedFacts(registry, stored),
      tips: { source: tips.get(source.chain) ?? NOTHING_SEEN, destination: tips.get(destination.chain) ?? NOTHING_SEEN },
      ...eventFacts(eventsOf(source), eventsOf(destination)),
      now,
    }
  })
}

export function factsOf(registry: Registry, { stored, tips, events, unreadDeposits }: OrderSnapshot, now: bigint): OrderFacts {
  return {
    ...storedFacts(registry, stored),
    tips: { source: tips.source ?? NOTHING_SEEN, destination: tips.destination ?? NOTHING_SEEN },
    events,
    unreadDeposits,
    now,
  }
}

function eventFacts(source: SwapEvents, destination: SwapEvents): Pick<OrderFacts, 'events' | 'unreadDeposits'> {
  return {
    events: { source: source.events, destination: destination.events },
    unreadDeposits: { source: source.unreadDeposits, destination: destination.unreadDeposits },
  }
}

export type LiveView = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly now: () => bigint
  /** The watchers of this process. Without a watcher, the chain is read. */
  readonly polls?: ReadonlyMap<ChainId, FreshPolls>
  /**
   * A poll that began earlier than this is not accepted. With 0, everything that happened before the call counts. The default is enough to
   * act on: a second, or two polls of slow nodes.
   */
  readonly acceptedAgeMs?: number
  readonly onDifferences?: (report: DifferenceReport) => void
}

export type LiveFacts = OrderFacts & FactsAge & { readonly fromNodes: Readonly<Record<Leg, FromNodes | null>> }

/** This process read these from its nodes for a leg of the facts, never from the database. `events` are mined ones, possibly not all. */
export type FromNodes = { readonly tip: Block; readonly events: readonly HtlcEvent[]; readonly asOfMs: number }

/** With slow nodes the accepted age is this many times the duration of a poll, so that a poll which has just ended need not be repeated. */
const ACCEPTED_POLLS = 2
/** A new block may be recorded between a poll and the reading of its result. */
const POLL_TRIES = 3

/** An order with the chains of this moment: every event's block is canonical, and nothing up to the newest block is missing. */
export type LiveOrder = {
  readonly stored: StoredOrder
  readonly facts: LiveFacts
  readonly attempts: readonly Attempt[]
}

/** The chains of an order never change, so the caller knows them before it reads the order. */
export type LiveQuery = ActionFactsQuery & { readonly chains: Readonly<Record<Leg, ChainId>> }

/**
 * Runs one statement if polls of both chains are current. Returns null if there is no such order. `mayBeOld` names the legs for which
 * recorded facts are enough if their nodes do not answer or disagree.
 */
export async function loadLiveOrder(
  view: LiveView,
  query: LiveQuery,
  mayBeOld: (stored: StoredOrder) => readonly Leg[],
): Promise<LiveOrder | null> {
  const read = await readWithPolls(view, query)
  if (read === null) return null
  const { stored, attempts } = read.recorded
  const oldLegs = mayBeOld(stored)
  const readLeg = async (leg: Leg): Promise<LegFacts> => {
    const swap = stored.order[leg]
    try {
      return (await polledLeg(view, read, leg, swap)) ?? (await readFromChain(view, swap, read.recorded.legs[leg]))
    } catch (error) {
      if (oldLegs.includes(leg) && error instanceof ChainFailure) return recordedLeg(view.db, swap, read, leg)
      throw error
    }
  }
  const [source, destination] = await Promise.all([readLeg('source'), readLeg('destination')])
  const facts = {
    ...storedFacts(view.registry, stored),
    tips: { source: source.tip, destination: destination.tip },
    ...eventFacts(source, destination),
    now: view.now(),
    fromNodes: { source: source.fromNodes, destination: destination.fromNodes },
    asOfMs: Math.min(source.asOfMs, destination.asOfMs),
    goodForMs: goodForMs(Math.max(source.tookMs, destination.tookMs), [
      view.registry.chain(stored.order.source.chain),
      view.registry.chain(stored.order.destination.chain),
    ]),
  }
  return { stored, facts, attempts }
}

export async function loadLiveFacts(view: LiveView, stored: StoredOrder, mayBeOld: readonly Leg[]): Promise<LiveFacts> {
  const { id, source, destination } = stored.order
  const chains = { source: source.chain, destination: destination.chain }
  const live = await loadLiveOrder(view, { orderId: id, key: null, chains }, () => mayBeOld)
  if (live === null) throw new Error(`order ${id} is gone`)
  return { ...live.facts, ...storedFacts(view.registry, stored) }
}

/** The recorded facts, and the polls that ended before those were read. A failed poll rejects when its leg is used. */
type ReadWithPolls = {
  readonly recorded: ActionFacts
  readonly polls: Readonly<Record<Leg, FreshPoll | ChainFailure | null>>
  readonly askedAtMs: number
}

async function readWithPolls(view: LiveView, { chains, ...query }: LiveQuery): Promise<ReadWithPolls | null> {
  for (let tries = 1; ; tries += 1) {
    const [source, destination] = await Promise.all([freshPoll(view, chains.source), freshPoll(view, chains.destination)])
    const polls = { source, destination }
    const askedAtMs = performance.now()
    const recorded = await readActionFacts(view.db, query)
    if (recorded === null) return null
    const isOutdated = (leg: Leg) => {
      const poll = polls[leg]
      return poll !== null && !(poll instanceof ChainFailure) && poll.tip.hash !== recorded.legs[leg].tip?.hash
    }
    if (tries === POLL_TRIES || !(isOutdated('source') || isOutdated('destination'))) return { recorded, polls, askedAtMs }
  }
}

function pollTookMs({ polls }: LiveView, chain: ChainId): number {
  return polls?.get(chain)?.tookMs ?? 0
}

function acceptedAge(view: LiveView, chain: ChainId, minMs: number): number {
  return view.acceptedAgeMs ?? Math.max(minMs, Math.min(pollTookMs(view, chain) * ACCEPTED_POLLS, MAX_ACCEPTED_POLL_MS))
}

async function freshPoll(view: LiveView, chain: ChainId): Promise<FreshPoll | ChainFailure | null> {
  try {
    return (await view.polls?.get(chain)?.fresh(acceptedAge(view, chain, ACCEPTED_POLL_MS))) ?? null
  } catch (error) {
    if (error instanceof ChainFailure) return error
    throw error
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

type LegFacts = SwapEvents & { readonly tip: Tip; readonly asOfMs: number; readonly tookMs: number; readonly fromNodes: FromNodes | null }

async function recordedLeg(db: Database, swap: Swap, { recorded, askedAtMs }: ReadWithPolls, leg: Leg): Promise<LegFacts> {
  const { tip, events } = recorded.legs[leg]
  if (events !== null) return { tip: tip ?? NOTHING_SEEN, events, unreadDeposits: 0, asOfMs: askedAtMs, tookMs: 0, fromNodes: null }
  const { cursor, ...considered } = (await readSwapFacts(db, swap)) ?? { cursor: NOTHING_SEEN, ...NO_EVENTS }
  return { tip: cursor, ...considered, asOfMs: askedAtMs, tookMs: 0, fromNodes: null }
}

/**
 * Returns facts as the last poll of this process or another recorded them; null when neither is current, so that the chain must be read.
 */
async function polledLeg(view: LiveView, read: ReadWithPolls, leg: Leg, swap: Swap): Promise<LegFacts | null> {
  const { db, polls } = view
  const tookMs = pollTookMs(view, swap.chain)
  const poll = read.polls[leg]
  if (poll instanceof ChainFailure) throw poll
  const events = polls?.get(swap.chain)?.seen(swap.swapId) ?? []
  const own =
    poll === null
      ? null
      : await legAt(db, swap, read.recorded.legs[leg], poll.tip.hash, {
          asOfMs: poll.beganAtMs,
          tookMs,
          fromNodes: { tip: poll.tip, events, asOfMs: poll.beganAtMs },
        })
  if (own !== null || polls === undefined) return own
  const { publishedAgeMs, tip } = read.recorded.legs[leg]
  if (publishedAgeMs === null || publishedAgeMs > acceptedAge(view, swap.chain, ACCEPTED_PUBLISHED_POLL_MS) || tip === null) return null
  return legAt(db, swap, read.recorded.legs[leg], tip.hash, {
    asOfMs: read.askedAtMs - publishedAgeMs,
    tookMs,
    fromNodes: null,
  })
}

/** Returns null unless this block is the newest recorded one: a reorg, or another process, has changed the record since. */
async function legAt(
  db: Database,
  swap: Swap,
  { tip, events }: RecordedLeg,
  hash: string,
  age: Pick<LegFacts, 'asOfMs' | 'tookMs' | 'fromNodes'>,
): Promise<LegFacts | null> {
  if (tip?.hash !== hash) return null
  if (events !== null) return { tip, events, unreadDeposits: 0, ...age }
  const considered = await readSwapFacts(db, swap)
  if (considered?.cursor.hash !== hash) return null
  const { cursor, ...known } = considered
  return { tip: cursor, ...known, ...age }
}

async function readFromChain({ db, clients }: LiveView, swap: Swap, { tip: seen, events }: RecordedLeg): Promise<LegFacts> {
  const client = clientFor(clients, swap.chain)
  const recorded = events === null || seen === null ? await readSwapFacts(db, swap) : { cursor: seen, events, unreadDeposits: 0 }
  if (recorded === null) throw new ChainFailure('unreachable', `${swap.chain} was never watched`)
  const { cursor, unreadDeposits } = recorded
  const mined = recorded.events.filter(({ block }) => block !== null)
  const asOfMs = performance.now()
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
  const seenEvents = new Set(minedNow.map((event) => `${event.tx} ${event.index}`))
  const unmined = unconfirmed.filter((event) => !seenEvents.has(`${event.tx} ${event.index}`))
  const fromNodes = { tip: newest, events: newer, asOfMs }
  return { tip, events: [...minedNow, ...unmined], unreadDeposits, asOfMs, tookMs: performance.now() - asOfMs, fromNodes }
}

/** Returns the higher of the node's final height and ours, which never goes back. The result is never above the newest block. */
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
