/** Compares the ledger with the orders, and all sums with the ledger, at one moment: services may run meanwhile. */
import { type RawBuilder, sql } from 'kysely'
import { bigint, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

export type LedgerProblem = {
  readonly problem: string
  readonly count: bigint
  readonly example: string
}

const CHECKS: readonly (readonly [problem: string, wrong: RawBuilder<unknown>])[] = [
  [
    'completed orders are not on the ledger',
    sql`select order_id as name from order_list where is_completed(status) and not exists (select from ledger where ledger.seq = order_list.seq)`,
  ],
  [
    'orders are on the ledger and not completed',
    sql`select ledger.order_id as name from ledger left join order_list using (seq) where not coalesce(is_completed(status), false)`,
  ],
  [
    'closed orders are not final on the ledger',
    sql`select order_id as name from ledger join orders on orders.id = order_id where closed_at is not null and not final`,
  ],
  [
    'volumes and fees on the ledger are not those of their orders',
    sql`select order_id as name from ledger join order_list using (seq, order_id) join swaps using (order_id)
      where leg = 'destination' and (ledger.volume <> least(9223372036854775807, div(order_list.volume * swaps.amount, agreed_amount))
        or ledger.fees <> least(9223372036854775807, div(order_list.fee * swaps.amount, agreed_amount)))`,
  ],
  [
    'shares on the ledger are not those of their orders',
    sql`select coalesce(due.order_id, ledger_shares.order_id) as name from ledger_shares full join (
        select order_id, place::integer as position, fee ->> 'address' as affiliate, fee ->> 'asset' as asset,
          div((fee ->> 'amount')::numeric * swaps.amount, agreed_amount) as amount
        from ledger join orders on orders.id = order_id join swaps using (order_id)
          cross join lateral jsonb_array_elements(affiliate_fees) with ordinality as given (fee, place)
        where leg = 'destination'
      ) as due using (order_id, position, affiliate, asset, amount)
      where due.order_id is null or ledger_shares.order_id is null`,
  ],
  [
    'totals of affiliates are not the sum of their shares',
    sql`select affiliate || ' ' || asset as name from (
        select app, affiliate, asset, sum(amount) as amount, sum(usd) as usd, coalesce(sum(amount) filter (where paid_in), 0) as paid_in
        from ledger_shares join ledger using (order_id) where final group by 1, 2, 3
      ) as summed full join affiliate_totals as totals using (app, affiliate, asset)
      where summed.amount is distinct from totals.amount or summed.usd is distinct from totals.usd or summed.paid_in is distinct from totals.paid_in`,
  ],
  [
    'counters of volumes and fees are not the sum of the ledger',
    sql`select 'period ' || period as name from (
        select period, sum(volume) as volume, sum(fees) as fees from (
          select period, volume, fees from order_volumes where from_chain = '*' and to_chain = '*'
          union all select period, volume, fees from ledger_changes
        ) as both_tables group by 1
      ) as counted full join (
        select created_at / 21600 as period, sum(volume) as volume, sum(fees) as fees from ledger group by 1
      ) as summed using (period)
      where coalesce(counted.volume, 0) <> coalesce(summed.volume, 0) or coalesce(counted.fees, 0) <> coalesce(summed.fees, 0)`,
  ],
]

export async function auditLedger(db: Database): Promise<readonly LedgerProblem[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const problems: LedgerProblem[] = []
      for (const [problem, wrong] of CHECKS) {
        const [found] = await readRows(
          tx,
          shape({ count: bigint, example: nullable(text) }),
        )`select count(*) as count, min(name) as example from (${wrong}) as wrong`
        if (found !== undefined && found.example !== null) problems.push({ problem, count: found.count, example: found.example })
      }
      return problems
    })
}
