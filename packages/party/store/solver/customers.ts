/** Stores the results of quotes and orders by app and owner, from which premiums are computed. */
import { bigintText, nullable, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare, prepareWrite } from '../database/prepared.ts'
import { MAX_CUSTOMERS } from './order-risks.ts'

/** Amounts are at the prices of each order. */
export type CustomerRecord = {
  /** These orders have no deposit. Anyone can make them, in any name. */
  readonly abandoned: number
  readonly abandonedUsd: bigint
  /** The solver paid for these orders: a deposit proves whose they are. */
  readonly paid: number
  readonly paidUsd: bigint
  readonly completed: number
  readonly completedUsd: bigint
  /** The client kept its secret until the solver took its payment back. */
  readonly withheld: number
  readonly withheldUsd: bigint
  /** Withheld worth is weighted by age, down to nothing at the end of the window, and rounded up. */
  readonly withheldLately: bigint
  /** The sum of price moves in favour of the users between order and payment, over all paid orders. It may be negative. */
  readonly gainedUsd: bigint
}

/** Quotes that only show a price do not count. */
export type QuoteRecord = { readonly quotes: number; readonly quotedUsd: bigint }

export type CustomerRecords = {
  readonly app: string
  /** It is null for the whole app. */
  readonly owner: string | null
  readonly record: CustomerRecord
}

const recordColumns = {
  abandoned: number,
  abandonedUsd: bigintText,
  paid: number,
  paidUsd: bigintText,
  completed: number,
  completedUsd: bigintText,
  withheld: number,
  withheldUsd: bigintText,
  withheldLately: bigintText,
  gainedUsd: bigintText,
}

const WITHHELD = "filter (where outcome = 'withheld')"
const PAID = "filter (where outcome in ('completed', 'withheld'))"

const selectCustomers = prepare(
  'select-customers',
  shape({ app: text, owner: nullable(text), ...recordColumns }),
  `select app, owner,
    count(*) filter (where outcome = 'abandoned')::integer as abandoned,
    coalesce(sum(usd_micros) filter (where outcome = 'abandoned'), 0)::text as "abandonedUsd",
    count(*) ${PAID}::integer as paid,
    coalesce(sum(usd_micros) ${PAID}, 0)::text as "paidUsd",
    count(*) filter (where outcome = 'completed')::integer as completed,
    coalesce(sum(usd_micros) filter (where outcome = 'completed'), 0)::text as "completedUsd",
    count(*) ${WITHHELD}::integer as withheld,
    coalesce(sum(usd_micros) ${WITHHELD}, 0)::text as "withheldUsd",
    ceil(coalesce(sum(usd_micros::numeric * (judged_at - $1::bigint) / ($2::bigint - $1::bigint)) ${WITHHELD}, 0))::text as "withheldLately",
    coalesce(sum(gained_usd_micros) ${PAID}, 0)::text as "gainedUsd"
  from order_risks where outcome is not null and judged_at > $1::bigint
  group by grouping sets ((app), (app, owner))
  having grouping(owner) = 1 or (owner <> '' and (count(*) filter (where outcome in ('abandoned', 'withheld')) > 0))
  order by grouping(owner) desc, sum(usd_micros) ${WITHHELD} desc nulls last, sum(gained_usd_micros) ${PAID} desc nulls last, abandoned desc
  limit ${MAX_CUSTOMERS}`,
)

export type Window = { readonly now: bigint; readonly since: bigint }

/**
 * Sums up the orders that ended since then. Owners with nothing but completed orders are omitted. If there are too many, those who withheld
 * most come first, then those who gained most: strangers cannot push them out for free.
 */
export async function readCustomers(db: Database, { now, since }: Window): Promise<readonly CustomerRecords[]> {
  const rows = await selectCustomers(db, [since.toString(), now.toString()])
  return rows.map(({ app, owner, ...record }) => ({ app, owner, record }))
}

export type Gain = { readonly orderId: string; readonly usdMicros: bigint }

/** Locked rows are skipped, so two writers of several rows cannot deadlock. */
const updateGains = prepare(
  'note-gains',
  shape({ order_id: text }),
  `with given as materialized (
    select id, gained from unnest($1::text[], $2::bigint[]) as given (id, gained)
  ), locked as materialized (
    select order_id, gained from order_risks join given on order_id = id for update of order_risks skip locked
  ), noted as (
    update order_risks set gained_usd_micros = locked.gained from locked where order_risks.order_id = locked.order_id
  )
  select order_id from order_risks join given on order_id = id where order_id not in (select order_id from locked)`,
)

/** The last gain of an order counts. Returns the gains whose rows are locked: try them again later. */
export async function noteGains(db: Database, gains: readonly Gain[]): Promise<readonly Gain[]> {
  if (gains.length === 0) return []
  const rows = await updateGains(db, [gains.map(({ orderId }) => orderId), gains.map(({ usdMicros }) => usdMicros.toString())])
  const left = new Set(rows.map(({ order_id }) => order_id))
  return gains.filter(({ orderId }) => left.has(orderId))
}

export type QuoteCount = { readonly app: string; readonly quotes: number; readonly usdMicros: bigint }

const HOUR = 3600n
/** The default period of `tandem solver status`. */
const KEEP_SECONDS = 30n * 24n * HOUR

const addCounts = prepareWrite(
  'add-quote-counts',
  `with old as (delete from quote_counts where hour < $1::bigint - ${KEEP_SECONDS})
  insert into quote_counts (hour, app, quotes, usd_micros)
  select $1::bigint, * from unnest($2::text[], $3::bigint[], $4::numeric[]) as given (app)
  -- All code locks several of these rows in the same order.
  order by app
  on conflict (hour, app) do update set quotes = quote_counts.quotes + excluded.quotes, usd_micros = quote_counts.usd_micros + excluded.usd_micros`,
)

/** Each app may occur only once. */
export async function addQuoteCounts(db: Database, counts: readonly QuoteCount[], now: bigint): Promise<void> {
  if (counts.length === 0) return
  await addCounts(db, [
    (now - (now % HOUR)).toString(),
    counts.map(({ app }) => app),
    counts.map(({ quotes }) => quotes),
    counts.map(({ usdMicros }) => usdMicros.toString()),
  ])
}

const selectCounts = prepare(
  'select-quote-counts',
  shape({ app: text, quotes: bigintText, usd_micros: bigintText }),
  `select app, sum(quotes)::text as quotes, sum(usd_micros)::text as usd_micros from quote_counts where hour > $1
  group by app order by sum(usd_micros) desc limit ${MAX_CUSTOMERS}`,
)

export async function readQuoteCounts(db: Database, since: bigint): Promise<ReadonlyMap<string, QuoteRecord>> {
  const rows = await selectCounts(db, [since.toString()])
  return new Map(rows.map(({ app, quotes, usd_micros }) => [app, { quotes: Number(quotes), quotedUsd: usd_micros }]))
}
