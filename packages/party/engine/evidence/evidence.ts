/**
 * Reads by quorum what the chains show of an order at this moment. Tables can be wrong: before a signature that could cost money, they are
 * compared with this evidence, and the decision is derived again from the evidence alone.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Leg, Order, Swap } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import type { Tip } from '@tandem/protocol/swap-state.ts'
import { clientFor, type FromNodes, type LiveFacts, type LiveView } from '../facts.ts'
import { createWatchedSwaps } from '../watched-swaps.ts'
import type { Difference } from './differences.ts'

declare const fromChains: unique symbol

export type LegEvidence = {
  readonly tip: Tip
  readonly events: readonly HtlcEvent[]
  readonly reading: HtlcReading | null
  /** The evidence was true at this moment or later, by `performance.now()`. */
  readonly asOfMs: number
}

/** The brand makes sure that only `proveFacts` makes evidence. */
export type Evidence = { readonly [fromChains]: true; readonly legs: Readonly<Partial<Record<Leg, LegEvidence>>> }

export type EvidenceQuery = {
  readonly legs: readonly Leg[]
  /** The HTLCs of these legs are read too: an event proves that the money was there once, and not that it is still there. */
  readonly htlcsOf: readonly Leg[]
  readonly finality?: true
  readonly deposits?: readonly string[]
}

export type Proven = {
  readonly facts: LiveFacts
  readonly state: OrderState
  readonly evidence: Evidence
  /** Differences between the database and the chains. The state is that of the chains. */
  readonly differences: readonly Difference[]
  /** An HTLC is not as its events say, so nothing may be signed. */
  readonly isContradicted: boolean
}

/** Of more deposits only those that count are read again, because anybody can make deposits to some HTLCs. */
const FEW_DEPOSITS = 8

export async function proveFacts(view: LiveView, recorded: LiveFacts, query: EvidenceQuery): Promise<Proven> {
  const recordedState = deriveOrder(recorded)
  const legs = await Promise.all(
    query.legs.map(async (leg) => {
      const more = leg === 'source' ? (query.deposits ?? []) : []
      const { deposits, counted } = recordedState[leg]
      const relevant = new Set([...(deposits.length <= FEW_DEPOSITS ? deposits : counted).map(({ id }) => id), ...more])
      return [leg, await proveLeg(view, recorded, leg, relevant, query)] as const
    }),
  )
  const byLeg = new Map(legs)
  const tipOf = (leg: Leg) => byLeg.get(leg)?.evidence.tip ?? recorded.tips[leg]
  const eventsOf = (leg: Leg) => {
    const proven = byLeg.get(leg)
    return proven === undefined ? recorded.events[leg] : [...proven.evidence.events, ...proven.unmined]
  }
  const facts: LiveFacts = {
    ...recorded,
    order: withMinConfirmations(view.registry, recorded.order),
    tips: { source: tipOf('source'), destination: tipOf('destination') },
    events: { source: eventsOf('source'), destination: eventsOf('destination') },
    asOfMs: Math.min(recorded.asOfMs, ...legs.map(([, { evidence }]) => evidence.asOfMs)),
  }
  const state = deriveOrder(facts)
  const evidence = Object.fromEntries(legs.map(([leg, proven]) => [leg, proven.evidence]))
  const contradictions = legs.flatMap(([leg, proven]) =>
    contradictionsOf(state, leg, proven.evidence.reading).map((what) => ({ leg, what })),
  )
  const differences = [...contradictions, ...legs.flatMap(([leg, proven]) => proven.differences.map((what) => ({ leg, what })))]
  // The brand exists in types only.
  return { facts, state, evidence: { legs: evidence } as unknown as Evidence, differences, isContradicted: contradictions.length > 0 }
}

/** A destination's row cannot ask for fewer confirmations than the registry. The solver checks those of a source itself. */
function withMinConfirmations(registry: Registry, order: Order): Order {
  const { chain, terms, requiredConfirmations: asked } = order.destination
  const asset = registry.assets.find(({ id }) => id === terms.asset) ?? {}
  const min = requiredConfirmations(registry.chain(chain), asset, terms.amount, 'destination')
  return { ...order, destination: { ...order.destination, requiredConfirmations: Math.max(asked, min) } }
}

type ProvenLeg = { readonly evidence: LegEvidence; readonly unmined: readonly HtlcEvent[]; readonly differences: readonly string[] }

async function proveLeg(
  view: LiveView,
  recorded: LiveFacts,
  leg: Leg,
  relevant: ReadonlySet<string>,
  { htlcsOf, finality }: EvidenceQuery,
): Promise<ProvenLeg> {
  const swap = recorded.order[leg]
  const client = clientFor(view.clients, swap.chain)
  // Every id follows from the terms. With another id the events would be of another HTLC.
  if (client.swapId(swap.terms) !== swap.swapId)
    throw new ChainFailure('would-fail', `the terms of the ${leg} do not belong to the HTLC ${swap.swapId}: its row was changed`)
  const rows = recorded.events[leg]
  const asked = rows.filter((row) => row.block !== null && relevant.has(row.deposit))
  const seen = recorded.fromNodes[leg] ?? (await readTip(view, swap))
  const unseen = asked.filter((row) => !seen.events.some((event) => isSame(row, event)))
  const [reread, reading] = await Promise.all([
    readAgain(view, swap, unseen, relevant),
    htlcsOf.includes(leg) ? client.readHtlc(swap.terms, [...relevant]) : null,
  ])
  const events = [...new Map([...seen.events, ...reread].map((event) => [keyOf(event), event])).values()]
  const final = finality === undefined ? finalHeightOf(recorded.tips[leg]) : await readFinalHeight(view, swap, seen.tip)
  return {
    evidence: { tip: { ...seen.tip, ...final }, events, reading, asOfMs: seen.asOfMs },
    unmined: rows.filter((row) => row.block === null && !events.some((event) => event.tx === row.tx && event.index === row.index)),
    differences: [
      ...asked.filter((row) => !events.some((event) => isSame(row, event))).map((row) => `the chain does not show ${describeEvent(row)}`),
      ...events
        .filter((event) => relevant.has(event.deposit) && !rows.some((row) => isSame(row, event)))
        .map((event) => `the database does not have, or has differently, ${describeEvent(event)}`),
    ],
  }
}

/** If another process watches the chain, what it recorded is no evidence. */
async function readTip({ clients }: LiveView, { chain }: Swap): Promise<FromNodes> {
  const asOfMs = performance.now()
  return { tip: await clientFor(clients, chain).tip(), events: [], asOfMs }
}

/** Reads the blocks in which the database has these rows. */
async function readAgain(
  { clients }: LiveView,
  { chain, swapId, terms }: Swap,
  rows: readonly HtlcEvent[],
  deposits: ReadonlySet<string>,
): Promise<readonly HtlcEvent[]> {
  const heights = new Set(rows.flatMap(({ block }) => block?.height ?? []))
  const watched = createWatchedSwaps([{ swapId, terms, deposits: [...deposits] }])
  const client = clientFor(clients, chain)
  return (await Promise.all([...heights].map((height) => client.events(watched, height, height)))).flat()
}

/** Asks the nodes now, because the recorded height could be too high. */
async function readFinalHeight({ clients }: LiveView, { chain }: Swap, { height: newest }: Tip): Promise<Pick<Tip, 'finalHeight'>> {
  const height = (await clientFor(clients, chain).finalHeight?.()) ?? null
  return height === null ? {} : { finalHeight: height < newest ? height : newest }
}

function finalHeightOf({ finalHeight }: Tip): Pick<Tip, 'finalHeight'> {
  return finalHeight === undefined ? {} : { finalHeight }
}

function contradictionsOf(state: OrderState, leg: Leg, reading: HtlcReading | null): readonly string[] {
  if (reading === null) return []
  const { counted, deposits } = state[leg]
  const expectedOpen = counted.filter(({ spend, block }) => spend === null && block !== null)
  const missing = expectedOpen.filter(
    ({ id, amount }) => !reading.deposits.some((one) => one.id === id && one.state === 'open' && one.amount === amount),
  )
  const unknown = reading.deposits.filter(
    ({ id, state: now }) => now !== 'absent' && now !== 'gone' && !deposits.some((one) => one.id === id),
  )
  return [
    ...missing.map(({ id, amount }) => `the chain does not show that ${amount} are locked in the deposit ${id} now`),
    ...unknown.map(({ id, state: now }) => `the chain shows the deposit ${id}, which is ${now}, and the database does not`),
  ]
}

/** Compares a row with an event of the chain. Rows of old versions have no expiry. A secret proves itself by its hash. */
function isSame(row: HtlcEvent, event: HtlcEvent): boolean {
  if (keyOf(row) !== keyOf(event) || row.kind !== event.kind || row.deposit !== event.deposit) return false
  if (row.block?.height !== event.block?.height || row.block?.time !== event.block?.time) return false
  if (row.kind !== 'initiated' || event.kind !== 'initiated') return true
  return row.amount === event.amount && (row.expiresAt === null || row.expiresAt === event.expiresAt)
}

function keyOf({ tx, index, block }: HtlcEvent): string {
  return `${tx} ${index} ${block?.hash}`
}

function describeEvent(event: HtlcEvent): string {
  const amount = event.kind === 'initiated' ? ` of ${event.amount}` : ''
  return `that ${event.deposit} was ${event.kind}${amount} by ${event.tx} in block ${event.block?.height}`
}
