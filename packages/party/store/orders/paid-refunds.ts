/**
 * Charges network fees that the service pays for a user's order, within a budget per owner and per app: an instant refund, or the part of a
 * payout's fee beyond the promised one.
 */

import { actionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { nullable, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

/** The limits are for 24 hours. The first refund or payout of an owner may exceed the owner's limit. */
export type RefundBudget = { readonly ownerUsdMicros: bigint; readonly appUsdMicros: bigint }

/**
 * paid         now
 * paid before  by an earlier call
 * refused      a budget is used up
 */
export type RefundPayment =
  | { readonly kind: 'paid' | 'paid before' }
  | { readonly kind: 'refused'; readonly whose: 'owner' | 'app'; readonly retryAfterSeconds: number }

/** A refund counts once, however often it is requested. Concurrent orders wait, so that together they cannot exceed the budget. */
export function payForRefund(db: Database, orderId: string, usdMicros: bigint, budget: RefundBudget): Promise<RefundPayment> {
  return db.transaction().execute(async (tx) => {
    const payer = await lockPayer(tx, orderId)
    if ((await chargeOf(tx, orderId)) !== null) return { kind: 'paid before' }
    const { ofOwner, ofApp } = await spentBy(tx, payer)
    if (ofOwner.oldestAge !== null && ofOwner.usdMicros + usdMicros > budget.ownerUsdMicros)
      return { kind: 'refused', whose: 'owner', retryAfterSeconds: secondsLeft(ofOwner.oldestAge) }
    if (ofApp.usdMicros + usdMicros > budget.appUsdMicros)
      return { kind: 'refused', whose: 'app', retryAfterSeconds: secondsLeft(ofApp.oldestAge ?? 0) }
    await tx
      .insertInto('paid_refunds')
      .values({ ...payer, order_id: orderId, usd_micros: usdMicros })
      .execute()
    return { kind: 'paid' }
  })
}

/**
 * Charges the part of a payout's fee that its recipient was promised not to bear. The amount only grows: an earlier attempt may be mined.
 * Returns false if a budget is used up. The first payout of an owner counts against the budget of the app alone, so that what was promised
 * is kept when fees rise: an owner costs nothing to invent, so the app's budget is the limit. A fee bump counts against both: it may be
 * many times the first fee.
 */
export function payForPayout(db: Database, orderId: string, usdMicros: bigint, budget: RefundBudget): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const payer = await lockPayer(tx, orderId)
    const more = usdMicros - ((await chargeOf(tx, orderId)) ?? 0n)
    if (more <= 0n) return true
    const { ofOwner, ofApp } = await spentBy(tx, payer)
    const isOwnersFirst = ofOwner.oldestAge === null
    if ((!isOwnersFirst && ofOwner.usdMicros + more > budget.ownerUsdMicros) || ofApp.usdMicros + more > budget.appUsdMicros) return false
    await tx
      .insertInto('paid_refunds')
      .values({ ...payer, order_id: orderId, usd_micros: usdMicros })
      .onConflict((conflict) => conflict.column('order_id').doUpdateSet({ usd_micros: usdMicros }))
      .execute()
    return true
  })
}

export async function giveBackRefund(db: Database, orderId: string): Promise<void> {
  await db.deleteFrom('paid_refunds').where('order_id', '=', orderId).execute()
}

/** Raises the charge to the cost of the sent refund and its reverts. It only grows: an earlier attempt may be mined. */
export async function raiseRefundCost(db: Database, orderId: string, usdMicros: bigint): Promise<void> {
  const key = actionKey(orderId, 'source', 'refund')
  await sql`
    update paid_refunds set usd_micros = whole.cost
    from (select ${usdMicros}::bigint * (1 + count(*)) as cost from attempts where action_key = ${key} and reverted_at is not null) as whole
    where order_id = ${orderId} and usd_micros < whole.cost`.execute(db)
}

type Payer = { readonly chain: string; readonly owner: string; readonly app: string | null }

/** Returns the payer of an order. Until the transaction ends, no other order is charged to the payer's budgets. */
async function lockPayer(tx: Database, orderId: string): Promise<Payer> {
  const payer = await tx
    .selectFrom('swaps')
    .innerJoin('orders', 'orders.id', 'swaps.order_id')
    .select(['swaps.chain', 'swaps.initiator as owner', 'orders.app'])
    .where('swaps.order_id', '=', orderId)
    .where('swaps.leg', '=', 'source')
    .executeTakeFirstOrThrow()
  for (const name of [`refunds of app ${payer.app ?? ''}`, `refunds of ${payer.chain} ${payer.owner}`])
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
  return payer
}

async function chargeOf(tx: Database, orderId: string): Promise<bigint | null> {
  const row = await tx.selectFrom('paid_refunds').select('usd_micros').where('order_id', '=', orderId).executeTakeFirst()
  return row?.usd_micros ?? null
}

async function spentBy(tx: Database, { chain, owner, app }: Payer): Promise<{ readonly ofOwner: Spent; readonly ofApp: Spent }> {
  const ofOwner = await spent(tx, sql`chain = ${chain} and owner = ${owner}`)
  return { ofOwner, ofApp: await spent(tx, app === null ? sql`app is null` : sql`app = ${app}`) }
}

/** `oldestAge` is in seconds; null if there is none. */
type Spent = { readonly usdMicros: bigint; readonly oldestAge: number | null }

async function spent(tx: Database, of: ReturnType<typeof sql>): Promise<Spent> {
  const rows = await readRows(tx, shape({ usd_micros: text, oldest_age: nullable(number) }))`
    select coalesce(sum(usd_micros), 0)::text as usd_micros, extract(epoch from now() - min(created_at))::float8 as oldest_age
    from paid_refunds where ${of} and created_at > now() - interval '24 hours'`
  return { usdMicros: BigInt(rows[0]?.usd_micros ?? '0'), oldestAge: rows[0]?.oldest_age ?? null }
}

const DAY_SECONDS = 86_400

function secondsLeft(oldestAge: number): number {
  return Math.max(1, Math.ceil(DAY_SECONDS - oldestAge))
}
