/** What became of the quotes and orders of apps and owners: what premiums are computed from. */
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { MOST_CUSTOMERS } from './order-risks.ts'

/** Amounts in millionths of a dollar, at the prices of each order. */
export type CustomerRecord = {
  /** Orders without a deposit. Anyone can make them, in any name. */
  readonly abandoned: number
  readonly abandonedUsd: bigint
  /** Orders that the solver paid for: a deposit proves whose they are. */
  readonly paid: number
  readonly paidUsd: bigint
  readonly completed: number
  readonly completedUsd: bigint
  /** The client kept its secret until the solver took its payment back. */
  readonly withheld: number
  readonly withheldUsd: bigint
  /** The same, less with its age: nothing at the end of the window. Rounded up. */
  readonly withheldLately: bigint
  /** Of the paid orders: what the prices moved in favour of the users from the order until the payment, all together. May be negative. */
  readonly gainedUsd: bigint
}

/** Quotes that are not only to show a price. */
export type QuoteRecord = { readonly quotes: number; readonly quotedUsd: bigint }

export type CustomerRecords = {
  readonly app: string
  /** Null: the whole app. */
  readonly owner: string | null
  readonly record: CustomerRecord
}

type Row = {
  readonly app: string
  readonly owner: string | null
  readonly abandoned: number
  readonly abandoned_usd: string
  readonly paid: number
  readonly paid_usd: string
  readonly completed: number
  readonly completed_usd: string
  readonly withheld: number
  readonly withheld_usd: string
  readonly withheld_lately: string
  readonly gained_usd: string
}

const WITHHELD = "filter (where outcome = 'withheld')"
const PAID = "filter (where outcome in ('completed', 'withheld'))"

const selectCustomers = prepare<Row>(
  'select-customers',
  `select app, owner,
    count(*) filter (where outcome = 'abandoned')::integer as abandoned,
    coalesce(sum(usd_micros) filter (where outcome = 'abandoned'), 0)::text as abandoned_usd,
    count(*) ${PAID}::integer as paid,
    coalesce(sum(usd_micros) ${PAID}, 0)::text as paid_usd,
    count(*) filter (where outcome = 'completed')::integer as completed,
    coalesce(sum(usd_micros) filter (where outcome = 'completed'), 0)::text as completed_usd,
    count(*) ${WITHHELD}::integer as withheld,
    coalesce(sum(usd_micros) ${WITHHELD}, 0)::text as withheld_usd,
    ceil(coalesce(sum(usd_micros::numeric * (judged_at - $1::bigint) / ($2::bigint - $1::bigint)) ${WITHHELD}, 0))::text as withheld_lately,
    coalesce(sum(gained_usd_micros) ${PAID}, 0)::text as gained_usd
  from order_risks where outcome is not null and judged_at > $1::bigint
  group by grouping sets ((app), (app, owner))
  having grouping(owner) = 1 or (owner <> '' and (count(*) filter (where outcome in ('abandoned', 'withheld')) > 0))
  order by grouping(owner) desc, sum(usd_micros) ${WITHHELD} desc nulls last, sum(gained_usd_micros) ${PAID} desc nulls last, abandoned desc
  limit ${MOST_CUSTOMERS}`,
)

export type Window = { readonly now: bigint; readonly since: bigint }

/**
 * Of the orders that ended since then. Owners with nothing but completed orders are left out. If there are too many, those who withheld most come first,
 * then those who gained most: strangers cannot push them out for nothing.
 */
export async function readCustomers(db: Database, { now, since }: Window): Promise<readonly CustomerRecords[]> {
  const rows = await selectCustomers(db, [since.toString(), now.toString()])
  return rows.map(({ app, owner, ...row }) => ({ app, owner, record: parseRecord(row) }))
}

function parseRecord(row: Omit<Row, 'app' | 'owner'>): CustomerRecord {
  return {
    abandoned: row.abandoned,
    abandonedUsd: BigInt(row.abandoned_usd),
    paid: row.paid,
    paidUsd: BigInt(row.paid_usd),
    completed: row.completed,
    completedUsd: BigInt(row.completed_usd),
    withheld: row.withheld,
    withheldUsd: BigInt(row.withheld_usd),
    withheldLately: BigInt(row.withheld_lately),
    gainedUsd: BigInt(row.gained_usd),
  }
}

export type Gain = { readonly orderId: string; readonly usdMicros: bigint }

/** Rows that others lock are left out: two writers of several rows cannot deadlock. */
const updateGains = prepare<{ readonly order_id: string }>(
  'note-gains',
  `with given as materialized (
    select id, gained from unnest($1::text[], $2::bigint[]) as given (id, gained)
  ), locked as materialized (
    select order_id, gained from order_risks join given on order_id = id for update of order_risks skip locked
  ), noted as (
    update order_risks set gained_usd_micros = locked.gained from locked where order_risks.order_id = locked.order_id
  )
  select order_id from order_risks join given on order_id = id where order_id not in (select order_id from locked)`,
)

/** The last one of an order counts. Returns those that could not be written now, because others write the same orders: try them again later. */
export async function noteGains(db: Database, gains: readonly Gain[]): Promise<readonly Gain[]> {
  if (gains.length === 0) return []
  const rows = await updateGains(db, [gains.map(({ orderId }) => orderId), gains.map(({ usdMicros }) => usdMicros.toString())])
  const left = new Set(rows.map(({ order_id }) => order_id))
  return gains.filter(({ orderId }) => left.has(orderId))
}

export type QuoteCount = { readonly app: string; readonly quotes: number; readonly usdMicros: bigint }

const HOUR = 3600n
/** As long as `tandem solver status` looks back by default. */
const KEEP_SECONDS = 30n * 24n * HOUR

const addCounts = prepare<never>(
  'add-quote-counts',
  `with old as (delete from quote_counts where hour < $1::bigint - ${KEEP_SECONDS})
  insert into quote_counts (hour, app, quotes, usd_micros)
  select $1::bigint, * from unnest($2::text[], $3::bigint[], $4::numeric[]) as given (app)
  -- One order for everyone who locks several of them.
  order by app
  on conflict (hour, app) do update set quotes = quote_counts.quotes + excluded.quotes, usd_micros = quote_counts.usd_micros + excluded.usd_micros`,
)

/** Each app once. */
export async function addQuoteCounts(db: Database, counts: readonly QuoteCount[], now: bigint): Promise<void> {
  if (counts.length === 0) return
  await addCounts(db, [
    (now - (now % HOUR)).toString(),
    counts.map(({ app }) => app),
    counts.map(({ quotes }) => quotes),
    counts.map(({ usdMicros }) => usdMicros.toString()),
  ])
}

const selectCounts = prepare<{ readonly app: string; readonly quotes: string; readonly usd_micros: string }>(
  'select-quote-counts',
  `select app, sum(quotes)::text as quotes, sum(usd_micros)::text as usd_micros from quote_counts where hour > $1
  group by app order by sum(usd_micros) desc limit ${MOST_CUSTOMERS}`,
)

/** By app, of the hours that began since then. */
export async function readQuoteCounts(db: Database, since: bigint): Promise<ReadonlyMap<string, QuoteRecord>> {
  const rows = await selectCounts(db, [since.toString()])
  return new Map(rows.map(({ app, quotes, usd_micros }) => [app, { quotes: Number(quotes), quotedUsd: BigInt(usd_micros) }]))
}
