/**
 * Reads the ledger of completed orders and of affiliates' earnings. The database keeps it: a row comes and goes with the completion in the
 * order list, and is final once the order is closed. Only final rows count for affiliates, so that what they are promised never decreases.
 */

import type { AssetId } from '@tandem/protocol/asset.ts'
import { sql } from 'kysely'
import { bigint, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { assetId } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'

/** Adds completed orders that are missing, e.g. after the order list was rebuilt. The call can be repeated. */
export async function fillLedger(db: Database): Promise<void> {
  await sql`select fill_ledger()`.execute(db)
}

/** The asset is the one that the affiliate is paid in. */
export type Account = { readonly affiliate: string; readonly asset: AssetId }

export type Earnings = Account & {
  readonly amount: bigint
  /** Millionths of a dollar, at the prices when the orders were made. */
  readonly usdMicros: bigint
  /** The part that was paid in, through all apps: the affiliate may claim no more. */
  readonly total: bigint
  /** The part that solvers collected and have not paid in yet, through all apps. */
  readonly waiting: bigint
}

export type EarningsQuery = {
  readonly app: string
  /** Several forms of one address; null means all affiliates. */
  readonly affiliates: readonly string[] | null
  readonly offset: number
  readonly limit: number
}

export async function readEarnings(db: Database, { app, affiliates, offset, limit }: EarningsQuery): Promise<readonly Earnings[]> {
  const rows = await readRows(db, shape({ affiliate: text, asset: assetId, amount: bigint, usd: bigint, total: bigint, waiting: bigint }))`
    with chosen as (
      select affiliate, asset, amount, usd from affiliate_totals
      where app = ${app} and (${affiliates}::text[] is null or affiliate = any(${affiliates}::text[]))
      order by usd desc, affiliate, asset offset ${offset} limit ${limit}
    )
    select chosen.*, every.total, every.waiting from chosen cross join lateral (
      select sum(paid_in) as total, sum(amount - paid_in) as waiting from affiliate_totals as every
      where every.affiliate = chosen.affiliate and every.asset = chosen.asset
    ) as every
    order by usd desc, affiliate, asset`
  return rows.map(({ usd, ...row }) => ({ ...row, usdMicros: usd }))
}

/** `earned` is the total of an affiliate in an asset, and `total` the part that was paid in. */
export async function readTotals(db: Database): Promise<readonly (Account & { readonly earned: bigint; readonly total: bigint })[]> {
  return readRows(db, shape({ affiliate: text, asset: assetId, earned: bigint, total: bigint }))`
    select affiliate, asset, sum(amount) as earned, sum(paid_in) as total from affiliate_totals group by affiliate, asset order by asset, affiliate`
}

/** What these affiliates may claim in an asset: the part of their final earnings that was paid in. One without earnings is missing. */
export async function readClaimable(db: Database, asset: AssetId, affiliates: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const rows = await readRows(db, shape({ affiliate: text, total: bigint }))`
    select affiliate, sum(paid_in) as total from affiliate_totals where asset = ${asset} and affiliate = any(${affiliates}::text[]) group by affiliate`
  return new Map(rows.map(({ affiliate, total }) => [affiliate, total]))
}

export type Collected = {
  readonly solverId: string
  /** Millionths of a dollar, at the prices when the orders were made. */
  readonly usdMicros: bigint
  readonly waitingUsdMicros: bigint
}

/** Only final orders count. */
export async function readCollected(db: Database): Promise<readonly Collected[]> {
  return readRows(db, shape({ solverId: text, usdMicros: bigint, waitingUsdMicros: bigint }))`
    select solver_id as "solverId", sum(usd) as "usdMicros", coalesce(sum(usd) filter (where not paid_in), 0) as "waitingUsdMicros" from ledger join ledger_shares using (order_id)
    where final group by solver_id order by solver_id`
}
