/** Keeps the wanted actions equal to the playbook. Derives only orders that something was recorded about, or that time may have changed. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type ClockRange, NO_TAG, nextChange, nextConfirmations } from '@tandem/protocol/next-change.ts'
import { type ActionKey, actionKey, type Role } from '@tandem/protocol/order.ts'
import { playbook } from '@tandem/protocol/playbook.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, isClosed, type OrderFacts, type OrderState } from '@tandem/protocol/state.ts'
import type { WantedAction } from '../store/actions/actions.ts'
import type { Database } from '../store/database/database.ts'
import { factsMark } from '../store/orders/facts-mark.ts'
import { closeOrders, findOrderSnapshots } from '../store/orders/orders.ts'
import {
  type DerivedOrders,
  deriveOrders,
  type OrderClock,
  SHARDS,
  type StoredRange,
  type TakeQuery,
} from '../store/orders/touched-orders.ts'
import { factsOf, isServed } from './facts.ts'
import type { Party } from './party.ts'
import { SETTLE_SECONDS, UNSERVED_RECHECK_MS } from './times.ts'
import { whatToCancel } from './what-to-cancel.ts'

export type ReconcilerContext = {
  readonly db: Database
  readonly registry: Registry
  readonly party: Pick<Party, 'role' | 'onReconciled'>
}

export type Reconciled = {
  readonly newlyWanted: boolean
  readonly more: boolean
  /** Orders were derived, so their status may have changed. */
  readonly derived: boolean
  readonly newestMark: bigint
}

const BATCH = 200

export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard)

export const outlivingVerbs = playbook.filter((rule) => rule.outlivesOrder).map((rule) => rule.verb)

export type DueQuery = Pick<TakeQuery, 'upToMark'> & {
  readonly shards?: readonly number[]
  /** Orders are due by the clocks of these chains, by default all, or by the party's own clock. */
  readonly chains?: readonly ChainId[]
}

/**
 * Derives touched orders that no other engine is deriving, and due orders of these shards and chains. The call can be repeated after a
 * failure at any step: orders stay touched or due until all is written.
 */
export async function reconcile(
  context: ReconcilerContext,
  now: bigint,
  { shards = ALL_SHARDS, chains = context.registry.chains.map(({ id }) => id), ...touched }: DueQuery = {},
): Promise<Reconciled> {
  const { db, party } = context
  const query = { chains, untagged: NO_TAG, now, nowMs: BigInt(Date.now()), shards, ...touched, limit: BATCH }
  let states: readonly OrderState[] = []
  const { orderIds, newlyWanted, isFull, newestMark } = await deriveOrders(db, query, async (connection, taken, changed) => {
    const pass = await deriveAll(context, connection, taken, changed, now)
    states = pass.states
    return pass.derived
  })
  if (orderIds.length === 0) party.onReconciled?.([])
  await closeFinished(db, states)
  return { newlyWanted, more: isFull, derived: states.length > 0, newestMark }
}

type Derived = { readonly facts: OrderFacts; readonly state: OrderState; readonly mark: bigint }

async function deriveAll(
  { registry, party }: ReconcilerContext,
  connection: Database,
  orderIds: readonly string[],
  changed: ReadonlySet<string>,
  now: bigint,
) {
  const open = (await findOrderSnapshots(connection, orderIds)).filter(({ stored }) => !stored.closed)
  const [served, unserved] = [
    open.filter(({ stored }) => isServed(registry, stored)),
    open.filter(({ stored }) => !isServed(registry, stored)),
  ]
  const derived = served.map((snapshot): Derived => {
    const facts = factsOf(registry, snapshot, now)
    return { facts, state: deriveOrder(facts), mark: factsMark(snapshot) }
  })
  const states = derived.map(({ state }) => state)
  const recheckAt = new Map([
    ...unserved.map(({ stored }) => [stored.order.id, Date.now() + UNSERVED_RECHECK_MS] as const),
    ...(party.onReconciled?.(states) ?? []),
  ])
  const written: DerivedOrders = {
    orderIds: states.map(({ order }) => order.id),
    wanted: wantedActions(party.role, states),
    confirmed: confirmedInitiations(states),
    // A solver serves no lists.
    statuses: party.role === 'service' ? states.map(({ order, status }) => ({ orderId: order.id, status })) : [],
    ranges: [
      ...derived.flatMap((one) => (willSettle(one.state, changed) ? rangesUntilSettled(one) : rangesOf(one))),
      ...[...recheckAt].map(recheckRange),
    ],
  }
  return { states, derived: written }
}

function wantedActions(role: Role, states: readonly OrderState[]): readonly WantedAction[] {
  const wanted = new Map<string, WantedAction>()
  for (const state of states) {
    for (const rule of playbook) {
      if (rule.who !== role || !rule.holds(state)) continue
      const action = { orderId: state.order.id, leg: rule.leg, verb: rule.verb }
      wanted.set(actionKey(action.orderId, action.leg, action.verb), action)
    }
  }
  return [...wanted.values()]
}

function confirmedInitiations(states: readonly OrderState[]): ReadonlySet<ActionKey> {
  const legs = ['source', 'destination'] as const
  return new Set(
    states.flatMap((state) =>
      legs.filter((leg) => whatToCancel(state, leg) === 'confirmed').map((leg) => actionKey(state.order.id, leg, 'initiate')),
    ),
  )
}

function rangesOf({ facts, state, mark }: Derived): readonly StoredRange[] {
  const { id: orderId, source, destination } = state.order
  const change = nextChange(facts, state)
  const ranges = new Map<OrderClock, ClockRange>([
    ['now', change.now],
    ['facts', { since: mark === 0n ? null : mark, until: null }],
  ])
  // Both legs may be on one chain.
  for (const [chain, { height, time, finalHeight, age }] of [
    [source.chain, change.source],
    [destination.chain, change.destination],
  ] as const) {
    ranges.set(`${chain} height`, both(ranges.get(`${chain} height`), height))
    ranges.set(`${chain} time`, both(ranges.get(`${chain} time`), time))
    ranges.set(`${chain} final`, both(ranges.get(`${chain} final`), finalHeight))
    ranges.set(`${chain} age`, both(ranges.get(`${chain} age`), age))
  }
  return [...ranges].map(([clock, range]) => ({ orderId, clock, ...range })).filter(({ since, until }) => since !== null || until !== null)
}

function rangesUntilSettled({ facts, state }: Derived): readonly StoredRange[] {
  const { id: orderId, source, destination } = state.order
  const confirmed = nextConfirmations(facts, state)
  const ranges = new Map<OrderClock, ClockRange>([['settle', { since: null, until: facts.now + SETTLE_SECONDS }]])
  for (const [chain, until] of [
    [source.chain, confirmed.source],
    [destination.chain, confirmed.destination],
  ] as const)
    if (until !== null) ranges.set(`${chain} height`, both(ranges.get(`${chain} height`), { since: null, until }))
  return [...ranges].map(([clock, range]) => ({ orderId, clock, ...range }))
}

function both(one: ClockRange | undefined, other: ClockRange): ClockRange {
  if (one === undefined) return other
  const later = one.since !== null && (other.since === null || one.since > other.since) ? one.since : other.since
  const earlier = one.until !== null && (other.until === null || one.until < other.until) ? one.until : other.until
  return { since: later, until: earlier }
}

function recheckRange([orderId, atMs]: readonly [string, number]): StoredRange {
  return { orderId, clock: 'recheck', since: null, until: BigInt(Math.ceil(atMs)) }
}

/** The stored ranges of such an order are replaced soon. On a halted chain they are needed when the chain comes back. */
function willSettle(state: OrderState, changed: ReadonlySet<string>): boolean {
  return isFinished(state) || (state.chainsAlive && changed.has(state.order.id))
}

/** A finished order is closed now, or soon. A chain that is halted or unreachable may still show events, so its orders stay open. */
function isFinished(state: OrderState): boolean {
  return state.chainsAlive && isClosed(state)
}

/** Locks chains, and so runs in its own transaction. */
async function closeFinished(db: Database, states: readonly OrderState[]): Promise<void> {
  const finished = states.filter(isFinished)
  await closeOrders(
    db,
    finished.map(({ order, source, destination }) => ({
      id: order.id,
      chains: [order.source.chain, order.destination.chain],
      deposits: [source, destination].reduce((sum, { deposits, ignoredDeposits }) => sum + deposits.length + ignoredDeposits, 0),
    })),
    outlivingVerbs,
  )
}
