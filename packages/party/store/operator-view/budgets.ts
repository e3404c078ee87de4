/** Reads the cost of sponsoring in the last 24 hours, by app. */
import { bigint, nullable, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

export type AppBudget = {
  readonly app: string
  readonly sponsored: number
  readonly sponsoredPerDay: number | null
  readonly refundsUsdMicros: bigint
}

/** Apps without a cost are omitted. Counting follows the limit: each grant once, and each reverted relay by its weight. */
export async function readBudgets(db: Database): Promise<readonly AppBudget[]> {
  const rows = await readRows(db, shape({ app: text, sponsored: bigint, sponsored_per_day: nullable(number), refunds: bigint }))`
    with granted as (
      select g.sponsor as app, count(*) as n from grants g join orders o on o.id = g.order_id
      where g.kind = 'initiate' and g.sponsor is not null and g.created_at > now() - interval '24 hours'
        and (o.deadline > extract(epoch from now()) or exists (
          select from attempts t where t.action_key = o.id || '/source/initiate' and t.reverted_at is null))
      group by 1
    ), reverted as (
      select g.sponsor as app, sum(t.reverted_weight) as n from attempts t join actions a on a.key = t.action_key
        join grants g on g.order_id = a.order_id and g.kind = 'initiate'
      where t.reverted_at > now() - interval '24 hours' and a.leg = 'source' and a.verb = 'initiate' and g.sponsor is not null
      group by 1
    ), refunded as (
      select app, sum(usd_micros) as usd from paid_refunds where app is not null and created_at > now() - interval '24 hours' group by 1
    )
    select apps.name as app, (coalesce(granted.n, 0) + coalesce(reverted.n, 0))::bigint as sponsored, sponsored_per_day,
      coalesce(refunded.usd, 0) as refunds
    from apps left join granted on granted.app = apps.name left join reverted on reverted.app = apps.name
      left join refunded on refunded.app = apps.name
    where granted.n is not null or reverted.n is not null or refunded.usd is not null
    order by sponsored desc, apps.name limit 100`
  return rows.map((row) => ({
    app: row.app,
    sponsored: Number(row.sponsored),
    sponsoredPerDay: row.sponsored_per_day,
    refundsUsdMicros: row.refunds,
  }))
}
