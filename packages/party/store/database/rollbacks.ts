/** Checks whether the database still has what was released, and keeps the rollbacks that an operator has not confirmed. */
import { sql } from 'kysely'
import { bigintText, boolean, listOrNull, nullable, number, shape, text } from './columns.ts'
import type { Database } from './database.ts'
import { prepare, readRows } from './prepared.ts'

/** One line of a release log. If the database lacks what the line names, the database is older than the line. */
export type Release =
  | { readonly log: string }
  | { readonly rollback: string }
  /** A signed transaction, recorded for this action. `lock` is the HTLC that it initiates, `pays` what a withdrawal sends. */
  | { readonly attempt: string; readonly tx: string; readonly lock?: string; readonly pays?: string }
  /** Refunds of these deposits of the order are signed. With `refund`, which is the order too, the solver never pays for the order. Else they are strays, or it has paid. */
  | { readonly refund?: string; readonly order: string; readonly deposits: readonly string[] }

export type Hold = {
  readonly reason: string
  /** Unix seconds. */
  readonly detectedAt: bigint
  /** The rollback concerns orders up to this position. */
  readonly newestOrder: bigint
}

export type ReleaseStatus = { readonly missing: readonly Release[]; readonly hold: Hold | null }

const readStatus = prepare(
  'release-status',
  shape({ missing: listOrNull(number), hold: nullable(shape({ reason: text, detectedAt: bigintText, newestOrder: bigintText })) }),
  `
  with given as (
    select place - 1 as place, line ->> 'log' as log, line ->> 'rollback' as rollback, line ->> 'attempt' as attempt, line ->> 'tx' as tx, line ->> 'lock' as lock, line ->> 'refund' as refund,
      line ->> 'order' as order_id, line -> 'deposits' as deposits
    from json_array_elements($1::json) with ordinality as listed (line, place)
  )
  select (
    select json_agg(place) from given where
      (log is not null and not exists (select from release_logs where id = log))
      or (rollback is not null and not exists (select from rollbacks where id = rollback))
      or (attempt is not null and not exists (select from attempts where action_key = attempt and attempts.tx = given.tx))
      or (lock is not null and not exists (
        select from actions join swaps on swaps.order_id = actions.order_id and swaps.leg = actions.leg
        where actions.key = attempt and swaps.swap_id = lock
      ))
      or (refund is not null and not exists (select from commitments where order_id = refund and way = 'refund_signed'))
      or (deposits is not null and exists (
        select from json_array_elements_text(deposits) as deposit where not exists (
          select from grants where grants.order_id = given.order_id and kind = 'instant-refund'
            and refunds @> jsonb_build_array(jsonb_build_object('deposit', deposit))
        )
      ))
  ) as missing, (
    select json_build_object('reason', (array_agg(reason order by detected_at desc))[1],
      'detectedAt', max(extract(epoch from detected_at))::bigint::text, 'newestOrder', max(newest_order)::text)
    from rollbacks where confirmed_at is null having count(*) > 0
  ) as hold`,
)

/** One statement finds which of these the database lacks, and what waits for the operator. */
export async function readReleaseStatus(db: Database, releases: readonly Release[]): Promise<ReleaseStatus> {
  const [status] = await readStatus(db, [JSON.stringify(releases)])
  const missing = new Set(status?.missing)
  return { missing: releases.filter((_, place) => missing.has(place)), hold: status?.hold ?? null }
}

/** Returns false if there was another log earlier, and no engine of this database lives that could know of a rollback. */
export async function registerReleaseLog(db: Database, id: string): Promise<boolean> {
  const rows = await readRows(db, shape({ expected: boolean }))`
    with own as (select from release_logs where id = ${id}),
      others as (select from release_logs where id <> ${id} limit 1),
      living as (select from leases where name like 'engine %' and until > now() limit 1),
      added as (insert into release_logs (id) values (${id}) on conflict do nothing)
    select exists (select from own) or not exists (select from others) or exists (select from living) as expected`
  return rows[0]?.expected ?? true
}

export async function recordRollback(db: Database, id: string, reason: string): Promise<void> {
  await sql`
    insert into rollbacks (id, reason, newest_order) select ${id}, ${reason}, coalesce(max(seq), 0) from orders on conflict do nothing`.execute(
    db,
  )
}

export async function confirmRollbacks(db: Database): Promise<number> {
  const confirmed = await db
    .updateTable('rollbacks')
    .set({ confirmed_at: new Date() })
    .where('confirmed_at', 'is', null)
    .returning('id')
    .execute()
  return confirmed.length
}

export async function countOrdersUpTo(db: Database, newest: bigint): Promise<bigint> {
  const { count } = await db
    .selectFrom('orders')
    .select((o) => o.fn.countAll().as('count'))
    .where('seq', '<=', newest)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return BigInt(count)
}

export async function isOrderUpTo(db: Database, orderId: string, newest: bigint): Promise<boolean> {
  const row = await db.selectFrom('orders').select('seq').where('id', '=', orderId).executeTakeFirst()
  return row === undefined || row.seq <= newest
}
