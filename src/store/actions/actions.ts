/** The outbox: wanted actions, their leases, and every transaction signed for them. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import { type ActionKey, type ActionVerb, actionKey, type Leg } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'

export type WantedAction = { readonly orderId: string; readonly leg: Leg; readonly verb: ActionVerb }

/** `cancelling`: not wanted any more, but an unmined transaction of it is to be cancelled. */
export type LeasedAction = WantedAction & {
  readonly key: ActionKey
  readonly cancelling: boolean
  /** Its newest transaction that a node accepted. */
  readonly lastTx: string | null
  readonly fence: bigint
  readonly failures: number
  readonly holder: string
  /** How long it was due before it was leased. */
  readonly waitedMs: number
  /** Of its order. */
  readonly chains: Readonly<Record<Leg, ChainId>>
}

/**
 * Makes the wanted actions of these orders equal to `wanted`. Idempotent. Newly wanted actions are due now. True if there are any. `confirmed`: initiations
 * that need no cancelling when they are dropped. A rewind of the chain checks them again.
 */
export async function syncWanted(
  db: Database,
  orderIds: readonly string[],
  wanted: readonly WantedAction[],
  confirmed: ReadonlySet<ActionKey> = new Set(),
): Promise<boolean> {
  const { rows } = await sql<{ any_new: boolean }>`
    select sync_wanted(${orderIds}, ${JSON.stringify(wanted.map(actionRow))}, ${[...confirmed]}) as any_new`.execute(db)
  return rows[0]?.any_new === true
}

export function actionRow({ orderId, leg, verb }: WantedAction) {
  return { key: actionKey(orderId, leg, verb), order_id: orderId, leg, verb }
}

/** Leases the most overdue action; null when none is due. */
export async function leaseAction(db: Database, holder: string, seconds: number): Promise<LeasedAction | null> {
  return (await leaseActions(db, holder, seconds, 1))[0] ?? null
}

/**
 * Leases up to `limit` of the most overdue actions for `seconds`. Redeems come first, because they can be too late. Of redeems that may go as one
 * batch (same asset and redeemer) only the most overdue one: it leases the others itself. Redeems that share a transaction go to one holder.
 */
export async function leaseActions(db: Database, holder: string, seconds: number, limit: number): Promise<readonly LeasedAction[]> {
  const { rows } = await sql<LeasedRow>`
    with held as materialized (
      select key, order_id, leg from actions where (wanted or cancelling) and verb = 'redeem' and lease_until > now()
    ), taken as materialized (
      select tx as transaction from attempts where action_key in (select key from held)
      union select transaction from cosigned_redeems where order_id in (select order_id from held where leg = 'source')
    ), due as materialized (
      select key, row_number() over (
        partition by case when verb = 'redeem' then concat_ws(' ', a.leg, s.chain, s.asset, s.redeemer) else key end order by due_at, key) as place
      from actions a left join swaps s on s.order_id = a.order_id and s.leg = a.leg
      where (wanted or cancelling) and due_at <= now() and (lease_until is null or lease_until < now())
        and (verb <> 'redeem' or not exists (
          select from attempts where action_key = key and tx in (select transaction from taken)))
        and (verb <> 'redeem' or a.leg <> 'source' or not exists (
          select from cosigned_redeems c where c.order_id = a.order_id and c.transaction in (select transaction from taken)))
    )
    update actions set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${seconds}), fence = fence + 1
    where key in (
      select key from actions
      where key in (select key from due where place = 1)
        and (wanted or cancelling) and due_at <= now() and (lease_until is null or lease_until < now())
      order by verb = 'redeem' desc, due_at limit ${limit} for update skip locked
    )
    returning ${leasedColumns}`.execute(db)
  return rows.map(parseLeased)
}

/** Of an update of `actions`. */
export const leasedColumns = sql`
  key, order_id, leg, verb, cancelling, last_tx, fence, failures, lease_holder as holder,
  least(extract(epoch from now() - due_at) * 1000, 1e9)::integer as waited_ms,
  (select json_object_agg(swaps.leg, swaps.chain) from swaps where swaps.order_id = actions.order_id) as chains`

export type LeasedRow = {
  key: string
  order_id: string
  leg: Leg
  verb: ActionVerb
  cancelling: boolean
  last_tx: string | null
  fence: bigint
  failures: number
  holder: string
  waited_ms: number
  chains: Record<Leg, ChainId>
}

export function parseLeased(row: LeasedRow): LeasedAction {
  const { order_id: orderId, last_tx: lastTx, waited_ms: waitedMs, ...rest } = row
  return { ...rest, orderId, lastTx, waitedMs }
}

export type ActionResult =
  | { readonly kind: 'sent'; readonly tx: string; readonly againInMs: number }
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly againInMs: number
      /** A transaction of it that was mined and reverted. */
      readonly revertedTx?: string
      /** The reason, for the user, if the user can fix it. */
      readonly refusal?: string | null
    }
  /** Not now. The reconciler decides whether it stays wanted. */
  | { readonly kind: 'skipped'; readonly againInMs: number }
  | { readonly kind: 'cancelling'; readonly tx: string; readonly againInMs: number }
  /** None of its transactions can be mined any more, or the initiation is confirmed. */
  | { readonly kind: 'cancelled' }
  /** Not wanted any more, and its order is closed, so the reconciler will not update it. */
  | { readonly kind: 'finished' }

/** Ends a lease. Ignored if the lease was lost. */
export async function finishAction(db: Database, action: LeasedAction, result: ActionResult): Promise<void> {
  const dueAt = (ms: number) => sql<Date>`now() + make_interval(secs => ${ms / 1000})`
  await db
    .updateTable('actions')
    .set({
      lease_holder: null,
      lease_until: null,
      updated_at: new Date(),
      ...(result.kind === 'sent' && {
        last_tx: result.tx,
        reverted_tx: null,
        last_error: null,
        refusal: null,
        failures: 0,
        due_at: dueAt(result.againInMs),
      }),
      ...(result.kind === 'failed' && {
        last_error: result.error,
        refusal: result.refusal ?? null,
        failures: action.failures + 1,
        due_at: dueAt(result.againInMs),
        ...(result.revertedTx !== undefined && { last_tx: null, reverted_tx: result.revertedTx }),
      }),
      ...(result.kind === 'cancelled' && { cancelling: false }),
      ...(result.kind === 'finished' && { wanted: false, last_error: null, refusal: null }),
      ...((result.kind === 'skipped' || result.kind === 'cancelling') && { due_at: dueAt(result.againInMs) }),
    })
    .where('key', '=', action.key)
    .where('fence', '=', action.fence)
    .execute()
}

export type KnownAction = {
  readonly wanted: boolean
  readonly lastTx: string | null
  readonly lastError: string | null
  /** A transaction that was mined and reverted, if none was sent since. */
  readonly revertedTx: string | null
  readonly refusal: string | null
}

export async function readAction(db: Database, key: ActionKey): Promise<KnownAction | null> {
  const row = await db
    .selectFrom('actions')
    .select(['wanted', 'last_tx as lastTx', 'last_error as lastError', 'reverted_tx as revertedTx', 'refusal'])
    .where('key', '=', key)
    .executeTakeFirst()
  return row ?? null
}

/** Makes the action due now and deletes its refusal: the cause of its failure may be gone. */
export async function hurryAction(db: Database, key: ActionKey): Promise<void> {
  await db
    .updateTable('actions')
    .set({ due_at: sql<Date>`now()`, refusal: null })
    .where('key', '=', key)
    .where('wanted', '=', true)
    .execute()
}

/** Makes the actions of an attempt due now, unless somebody works on them. */
export async function hurryAttempt(
  db: Database,
  { chain, sender, tx }: { readonly chain: ChainId; readonly sender: string; readonly tx: string },
): Promise<void> {
  await sql`
    update actions set due_at = now()
    where key in (select action_key from attempts where chain = ${chain} and sender = ${sender} and tx = ${tx})
      and (wanted or cancelling) and due_at > now() and (lease_until is null or lease_until < now())`.execute(db)
}
