/** Initiations that the service pays for: the signature that allows each, and how many an app has had in 24 hours. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

export type Sponsor = { readonly app: string /** In 24 hours; null: any number. */; readonly perDay: number | null }

/** Null once it is kept. Else the app has used up its budget, and this many seconds pass until there is room again. */
export function addSponsoredInitiate(db: Database, orderId: string, signature: string, sponsor: Sponsor): Promise<number | null> {
  return db.transaction().execute(async (tx) => {
    const secondsLeft = sponsor.perDay === null ? null : await secondsUntilRoom(tx, orderId, sponsor.app, sponsor.perDay)
    if (secondsLeft !== null) return secondsLeft
    await tx
      .insertInto('grants')
      .values({ order_id: orderId, kind: 'initiate', signature, sponsor: sponsor.app })
      // Of two good signatures the later one counts: what an account accepts may change.
      .onConflict((conflict) => conflict.columns(['order_id', 'kind']).doUpdateSet({ signature }))
      .execute()
    return null
  })
}

/** The app's row is held until the grant is written, or two at once would take the same last place. */
async function secondsUntilRoom(tx: Database, orderId: string, app: string, perDay: number): Promise<number | null> {
  await sql`select from apps where name = ${app} for no key update`.execute(tx)
  const { rows } = await sql<{ seconds: string }>`
    select ceil(extract(epoch from g.created_at + interval '24 hours' - now()))::text as seconds
    from grants g join orders o on o.id = g.order_id
    where g.sponsor = ${app} and g.created_at > now() - interval '24 hours'
      -- What was never sent costs nothing once it is too late for it.
      and (o.deadline > extract(epoch from now()) or exists (
        select from attempts t join actions a on a.key = t.action_key where a.order_id = o.id and a.leg = 'source' and a.verb = 'initiate'))
      and not exists (select from grants mine where mine.order_id = ${orderId} and mine.kind = 'initiate')
    order by g.created_at desc offset ${perDay - 1} limit 1`.execute(tx)
  return rows[0] === undefined ? null : Math.max(1, Number(rows[0].seconds))
}
