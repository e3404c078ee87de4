/** Sums up completed orders: from the counters for whole periods, from the ledger for the partial ones. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type RawBuilder, sql } from 'kysely'
import { bigint, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { EVERY, PERIOD_SECONDS } from './order-counts.ts'
import { allOf, among, waysTo } from './order-search.ts'

/** A null filter allows all. Times are unix seconds of creation, inclusive. */
export type StatisticsFilter = {
  readonly fromChains: readonly ChainId[] | null
  readonly toChains: readonly ChainId[] | null
  readonly addresses: readonly string[] | null
  readonly chains: readonly ChainId[]
  readonly since: number | null
  readonly until: number | null
}

export type Statistics = { readonly volumeUsdMicros: bigint; readonly feesUsdMicros: bigint }

export async function sumCompletedOrders(db: Database, filter: StatisticsFilter): Promise<Statistics> {
  const parts = filter.addresses === null ? sumAll(filter) : sumOfAddresses(filter, filter.addresses)
  const rows = await readRows(db, shape({ volume: bigint, fees: bigint }))`
    select coalesce(sum(volume), 0) as volume, coalesce(sum(fees), 0) as fees from (${sql.join(parts, sql` union all `)}) as parts`
  return { volumeUsdMicros: rows[0]?.volume ?? 0n, feesUsdMicros: rows[0]?.fees ?? 0n }
}

type Part = RawBuilder<unknown>
type Condition = RawBuilder<boolean>

function onChains({ fromChains, toChains }: StatisticsFilter): readonly Condition[] {
  return [...(fromChains === null ? [] : [among('from_chain', fromChains)]), ...(toChains === null ? [] : [among('to_chain', toChains)])]
}

function onLedger(conditions: readonly Condition[]): Part {
  return sql`select sum(volume) as volume, sum(fees) as fees from ledger where ${allOf(conditions)}`
}

const createdBetween = (first: number, last: number): Condition => sql<boolean>`created_at between ${first}::bigint and ${last}::bigint`

function sumOfAddresses(filter: StatisticsFilter, addresses: readonly string[]): readonly Part[] {
  const { since, until } = filter
  const when = since === null && until === null ? [] : [createdBetween(since ?? 0, until ?? Number.MAX_SAFE_INTEGER)]
  return waysTo(addresses, filter.chains).map((way) => {
    const ofOwner = sql<boolean>`seq in (select seq from order_list where ${allOf(way)})`
    return onLedger([ofOwner, ...onChains(filter), ...when])
  })
}

function sumAll(filter: StatisticsFilter): readonly Part[] {
  const { since, until, fromChains, toChains } = filter
  const chains = onChains(filter)
  const first = since === null ? 0 : Math.ceil(since / PERIOD_SECONDS)
  const last = until === null ? Number.MAX_SAFE_INTEGER : Math.floor((until + 1) / PERIOD_SECONDS) - 1
  if (first > last) return [onLedger([...chains, createdBetween(since ?? 0, until ?? Number.MAX_SAFE_INTEGER)])]
  const whole = sql<boolean>`period between ${first}::bigint and ${last}::bigint`
  const counted = allOf([whole, among('from_chain', fromChains ?? [EVERY]), among('to_chain', toChains ?? [EVERY])])
  return [
    sql`select sum(volume) as volume, sum(fees) as fees from order_volumes where ${counted}`,
    sql`select sum(volume) as volume, sum(fees) as fees from ledger_changes where ${allOf([whole, ...chains])}`,
    ...(since === null ? [] : [onLedger([...chains, createdBetween(since, first * PERIOD_SECONDS - 1)])]),
    ...(until === null ? [] : [onLedger([...chains, createdBetween((last + 1) * PERIOD_SECONDS, until)])]),
  ]
}
