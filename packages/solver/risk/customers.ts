/** Keeps the records of apps and owners in memory: how their orders ended, and how much is open. They are read again every few seconds. */

import { repeat } from '@tandem/party/engine/loop.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import {
  addQuoteCounts,
  type CustomerRecord,
  noteGains,
  type QuoteRecord,
  readCustomers,
  readQuoteCounts,
} from '@tandem/party/store/solver/customers.ts'
import { judgeOrderRisks, type Load, readCustomerLoads, readPairLoads } from '@tandem/party/store/solver/order-risks.ts'
import type { Logger } from 'pino'
import type { Caller } from '../authenticate.ts'
import { type Caps, isCapped, noLoad, withOrder } from './caps.ts'
import type { Records } from './premium.ts'
import type { Pair } from './scope.ts'

/** Opaque names from the service; null if it gives none. */
export type Customer = { readonly app: string | null; readonly owner: string | null }

/** Two services may use the same name for different apps. The requests of a service that name no app count as one app. */
export function customerOf(
  { app, owner }: { readonly app?: string; readonly owner?: string },
  { service }: Pick<Caller, 'service'>,
): Customer {
  return { app: `${service}/${app ?? ''}`, owner: owner ?? null }
}

export interface Customers {
  recordsOf(customer: Customer): Records
  loadsOf(customer: Customer, pair: Pair): { readonly pair: Load; readonly app: Load; readonly owner: Load }
  note(customer: Customer, usdMicros: bigint): void
  /** The quote counts from the next reading on. */
  noteQuote(customer: Customer, usdMicros: bigint): void
  /** Records what the price moved in favour of the user of a paid order. The last value counts, from the next reading on. */
  noteGain(orderId: string, usdMicros: bigint): void
  refresh(): Promise<void>
  stop(): Promise<void>
}

const REFRESH_MS = 10_000
/** The excess is not counted. */
const MAX_NOTED = 20_000

export const NO_RECORD: CustomerRecord = {
  abandoned: 0,
  abandonedUsd: 0n,
  paid: 0,
  paidUsd: 0n,
  completed: 0,
  completedUsd: 0n,
  withheld: 0,
  withheldUsd: 0n,
  withheldLately: 0n,
  gainedUsd: 0n,
}
export const NO_QUOTES: QuoteRecord = { quotes: 0, quotedUsd: 0n }

/** The same owner name in two apps means two owners, so that nobody can spoil the record of another app's users. */
const keyOf = (app: string | null, owner: string | null) => `${app ?? ''} ${owner ?? ''}`

export function startCustomers(options: {
  readonly db: Database
  readonly log: Logger
  readonly now: () => bigint
  readonly caps: Caps
  readonly windowSeconds: bigint
  readonly refreshMs?: number
}): Customers {
  const { db, log, now, caps, windowSeconds } = options
  let records: ReadonlyMap<string, CustomerRecord> = new Map()
  let quotes: ReadonlyMap<string, QuoteRecord> = new Map()
  let newQuotes = new Map<string, QuoteRecord>()
  let gains = new Map<string, bigint>()
  let pairs: ReadonlyMap<string, Load> = new Map()
  let loads = new Map<string, Load>()
  /** Orders that were accepted during a reading, which may lack them. At worst they count twice until the next reading. */
  let since: { readonly key: string; readonly usdMicros: bigint }[] = []

  /** Readings run one at a time: otherwise orders that are accepted meanwhile would be lost or count twice. */
  let reading: Promise<void> = Promise.resolve()
  function refresh(): Promise<void> {
    reading = reading.catch(() => undefined).then(read)
    return reading
  }

  async function read(): Promise<void> {
    const times = { now: now(), since: now() - windowSeconds }
    since = []
    await writeNotes(times.now)
    await judgeOrderRisks(db, times.now)
    records = new Map((await readCustomers(db, times)).map(({ app, owner, record }) => [keyOf(app, owner), record]))
    quotes = await readQuoteCounts(db, times.since)
    if (isCapped(caps.pair)) pairs = await readPairLoads(db, times)
    if (!isCapped(caps.app) && !isCapped(caps.owner)) return
    loads = new Map((await readCustomerLoads(db, times)).map((row) => [keyOf(row.app, row.owner), row]))
    for (const { key, usdMicros } of since) loads.set(key, withOrder(loads.get(key) ?? noLoad, usdMicros))
  }

  /** Notes that arrive meanwhile are written next time. If writing fails they are lost, which only affects surcharges. */
  async function writeNotes(time: bigint): Promise<void> {
    const [counts, moves] = [newQuotes, gains]
    newQuotes = new Map()
    gains = new Map()
    await addQuoteCounts(
      db,
      [...counts].map(([app, { quotes: count, quotedUsd }]) => ({ app, quotes: count, usdMicros: quotedUsd })),
      time,
    )
    const left = await noteGains(
      db,
      [...moves].map(([orderId, usdMicros]) => ({ orderId, usdMicros })),
    )
    gains = new Map([...left.map(({ orderId, usdMicros }) => [orderId, usdMicros] as const), ...gains])
  }

  const loop = repeat(options.refreshMs ?? REFRESH_MS, refresh, (error) =>
    log.error({ err: error }, 'the records of apps and owners cannot be read: the last ones are used'),
  )

  return {
    recordsOf: ({ app, owner }) => ({
      app: records.get(keyOf(app, null)) ?? NO_RECORD,
      quotes: quotes.get(app ?? '') ?? NO_QUOTES,
      owner: owner === null ? NO_RECORD : (records.get(keyOf(app, owner)) ?? NO_RECORD),
    }),
    loadsOf: ({ app, owner }, pair) => ({
      pair: pairs.get(pair) ?? noLoad,
      app: loads.get(keyOf(app, null)) ?? noLoad,
      owner: owner === null ? noLoad : (loads.get(keyOf(app, owner)) ?? noLoad),
    }),
    note({ app, owner }, usdMicros) {
      if (!isCapped(caps.app) && !isCapped(caps.owner)) return
      for (const key of new Set([keyOf(app, null), keyOf(app, owner)])) {
        loads.set(key, withOrder(loads.get(key) ?? noLoad, usdMicros))
        since.push({ key, usdMicros })
      }
    },
    noteQuote({ app }, usdMicros) {
      const { quotes: count, quotedUsd } = newQuotes.get(app ?? '') ?? NO_QUOTES
      if (count > 0 || newQuotes.size < MAX_NOTED) newQuotes.set(app ?? '', { quotes: count + 1, quotedUsd: quotedUsd + usdMicros })
    },
    noteGain(orderId, usdMicros) {
      if (gains.size < MAX_NOTED) gains.set(orderId, usdMicros)
    },
    refresh,
    stop: () => loop.stop(),
  }
}
