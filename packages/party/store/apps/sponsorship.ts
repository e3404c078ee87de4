/** Stores the grants of initiations whose fee the service pays, within the limits of sponsorship. */
import type { Consent } from '@tandem/protocol/order.ts'
import type { RelayLimits } from '@tandem/protocol/relay-limits.ts'
import { sql } from 'kysely'
import { readRevertedRelays } from '../actions/reverted-relays.ts'
import { bigint, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { consentColumns } from '../orders/grants.ts'

const DAY_SECONDS = 86_400

export type Sponsor = {
  readonly app: string
  readonly perDay: number | null
  /** The amount that the HTLC could take from the initiator's account now; null if it does not take it from there. */
  readonly spendable: bigint | null
  /** Null for a deposit address: anyone may name any initiator and pay, or initiate before us, so a limit by initiator would let strangers use it up. */
  readonly limits: RelayLimits | null
  /** The chain binds our rent until the order is closed (`Chain.settledHtlcKeepsRent`), which the initiator can delay. */
  readonly bindsRent?: boolean
}

export type SponsorRefusal =
  | { readonly kind: 'budget'; readonly retryAfterSeconds: number }
  /** The count goes over all orders of this initiator. */
  | { readonly kind: 'reverts'; readonly count: number; readonly retryAfterSeconds: number }
  | { readonly kind: 'unmined'; readonly count: number }
  /** The initiator's balance is pledged to unmined orders. */
  | { readonly kind: 'pledged'; readonly spendable: bigint; readonly pledged: bigint }

/** Returns null when the grant is stored, else the refusal. */
export function addSponsoredInitiate(db: Database, orderId: string, consent: Consent, sponsor: Sponsor): Promise<SponsorRefusal | null> {
  return db.transaction().execute(async (tx) => {
    const refusal = await findRefusal(tx, orderId, sponsor)
    if (refusal !== null) return refusal
    const granted = { ...consentColumns(consent), sponsor: sponsor.app }
    await tx
      .insertInto('grants')
      .values({ order_id: orderId, kind: 'initiate', leg: 'source', ...granted })
      // The later of two valid signatures wins: an account may change which signatures it accepts.
      .onConflict((conflict) => conflict.columns(['order_id', 'kind', 'leg']).doUpdateSet(granted))
      .execute()
    return null
  })
}

/** Locks the app and the initiator: concurrent requests must not exceed the budget or pledge the same balance twice. */
async function findRefusal(tx: Database, orderId: string, sponsor: Sponsor): Promise<SponsorRefusal | null> {
  const { app, perDay, spendable, limits } = sponsor
  const { chain, initiator, asset, amount } = await tx
    .selectFrom('swaps')
    .select(['chain', 'initiator', 'asset', 'amount'])
    .where('order_id', '=', orderId)
    .where('leg', '=', 'source')
    .executeTakeFirstOrThrow()
  await sql`select from apps where name = ${app} for no key update`.execute(tx)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sponsored ${chain} ${initiator}`}, 0))`.execute(tx)

  const retryAfterSeconds =
    perDay === null ? null : await secondsUntilBudget(tx, orderId, app, perDay, sponsor.bindsRent === true ? chain : null)
  if (retryAfterSeconds !== null) return { kind: 'budget', retryAfterSeconds }
  if (limits === null) return null

  const ages = await readRevertedRelays(tx, chain, initiator)
  const nth = ages[limits.reverted - 1]
  if (nth !== undefined) return { kind: 'reverts', count: ages.length, retryAfterSeconds: Math.max(1, Math.ceil(DAY_SECONDS - nth)) }

  const others = await readUnmined(tx, orderId, chain, initiator)
  if (others.length >= limits.unmined) return { kind: 'unmined', count: others.length }
  const pledged = others.filter((other) => other.asset === asset).reduce((sum, other) => sum + other.amount, 0n)
  return spendable !== null && pledged + amount > spendable ? { kind: 'pledged', spendable, pledged } : null
}

/** Reads other orders to which the initiator consented, that can still be sent, and are unmined as far as we know. A deposit pledges no balance of it. */
async function readUnmined(tx: Database, orderId: string, chain: string, initiator: string) {
  const rows = await readRows(tx, shape({ asset: text, amount: bigint }))`
    select s.asset, s.amount from swaps s join grants g on g.order_id = s.order_id join orders o on o.id = s.order_id
    where s.leg = 'source' and s.chain = ${chain} and s.initiator = ${initiator} and s.order_id <> ${orderId}
      and s.deposit_address is null and g.kind = 'initiate' and g.sponsor is not null and g.created_at > now() - interval '1 day' and o.deadline > extract(epoch from now())
      and not exists (
        select from events e where e.chain = s.chain and e.swap_id = s.swap_id and e.kind = 'initiated' and e.block_height is not null)`
  return rows
}

/**
 * Returns the seconds until the app has budget again; null if it has some. Counted are each reverted relay by its weight, each granted
 * order that was or can still be sent, and on `rentChain` each older order that still binds rent. So the bound rent never exceeds the
 * budget.
 */
async function secondsUntilBudget(
  tx: Database,
  orderId: string,
  app: string,
  perDay: number,
  rentChain: string | null,
): Promise<number | null> {
  const rows = await readRows(tx, shape({ seconds: text }))`
    with paid as (
      select g.created_at as at, 1 as weight from grants g join orders o on o.id = g.order_id
      where g.sponsor = ${app} and g.created_at > now() - interval '24 hours'
        -- A grant that was never sent costs nothing once its deadline has passed.
        and (o.deadline > extract(epoch from now()) or exists (
          select from attempts t join actions a on a.key = t.action_key
          where a.order_id = o.id and a.leg = 'source' and a.verb = 'initiate' and t.reverted_at is null))
      union all
      select now(), 1 from grants g join orders o on o.id = g.order_id join swaps s on s.order_id = o.id and s.leg = 'source'
      where g.sponsor = ${app} and g.kind = 'initiate' and g.created_at <= now() - interval '24 hours' and o.closed_at is null
        and s.chain = ${rentChain} and exists (
          select from events e where e.chain = s.chain and e.swap_id = s.swap_id and e.kind = 'initiated' and e.block_height is not null)
      union all
      select t.reverted_at, t.reverted_weight from attempts t join actions a on a.key = t.action_key
        join grants g on g.order_id = a.order_id and g.kind = 'initiate' and g.sponsor = ${app}
      where t.reverted_at > now() - interval '24 hours' and a.leg = 'source' and a.verb = 'initiate'
    )
    select ceil(extract(epoch from at + interval '24 hours' - now()))::text as seconds
    from (select at, sum(weight) over (order by at desc rows unbounded preceding) as used from paid) as newest
    where used >= ${perDay} and not exists (select from grants mine where mine.order_id = ${orderId} and mine.kind = 'initiate')
    order by at desc limit 1`
  return rows[0] === undefined ? null : Math.max(1, Number(rows[0].seconds))
}
