/** Records prices: what the sources said and the price that followed, one row a market and minute. Old rows are deleted. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Database } from '../database/database.ts'
import { prepareWrite } from '../database/prepared.ts'

export type PriceRecord = {
  readonly market: string
  readonly price: UsdPrice | null
  readonly problem: string | null
  readonly readings: readonly RecordedReading[]
}

/** Prices are texts, because JSON numbers are not exact. */
export type RecordedReading = { readonly source: string; readonly price: string | null; readonly problem: string | null }

const KEEP_DAYS = 7

/** Processes of one party share a record: the first of a minute counts. */
const insertRecords = prepareWrite(
  'insert-price-records',
  `insert into price_records (market, at, price, problem, readings)
  select market, date_trunc('minute', to_timestamp($1::double precision / 1000)), price, problem, readings
  from unnest($2::text[], $3::numeric[], $4::text[], $5::jsonb[]) as record (market, price, problem, readings)
  on conflict do nothing`,
)

/** `at` is in unix milliseconds. */
export async function recordPrices(db: Database, at: number, records: readonly PriceRecord[]): Promise<void> {
  await insertRecords(db, [
    at,
    records.map(({ market }) => market),
    records.map(({ price }) => price?.toString() ?? null),
    records.map(({ problem }) => problem),
    records.map(({ readings }) => JSON.stringify(readings)),
  ])
  await db
    .deleteFrom('price_records')
    .where('at', '<', new Date(at - KEEP_DAYS * 86_400_000))
    .execute()
}

export type PastPrice = { readonly market: string /** Unix milliseconds. */; readonly at: number; readonly price: UsdPrice }

export async function readPricesSince(db: Database, since: number): Promise<readonly PastPrice[]> {
  const rows = await db
    .selectFrom('price_records')
    .select(['market', 'at', 'price'])
    .where('at', '>=', new Date(since))
    .where('price', 'is not', null)
    .orderBy('at')
    .execute()
  return rows.flatMap(({ market, at, price }) => (price === null ? [] : [{ market, at: at.getTime(), price }]))
}
