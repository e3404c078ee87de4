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
  /** False: when it was leased, no other redeem could have shared its transaction. */
  readonly mayBatch: boolean
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

/** So many redeems are considered at a time. */
const MOST_REDEEMS = 500

/**
 * Leases up to `limit` of the most overdue actions for `seconds`. Redeems come first, because they can be too late. Of redeems that may go as one
 * batch (same asset and redeemer) only the most overdue one: it leases the others itself. Redeems that share a transaction go to one holder.
 */
export async function leaseActions(db: Database, holder: string, seconds: number, limit: number): Promise<readonly LeasedAction[]> {
  const isFree = sql`(wanted or cancelling) and (lease_until is null or lease_until < now())`
  const { rows } = await sql<LeasedRow>`
    with waiting as materialized (
      select key, order_id, leg, due_at, last_tx from actions
      where verb = 'redeem' and ${isFree} and (due_at <= now() or last_tx is null)
      order by due_at limit ${MOST_REDEEMS}
    ), redeems as materialized (
      select w.*, concat_ws(' ', w.leg, s.chain, s.asset, s.redeemer) as batch
      from waiting w left join swaps s on s.order_id = w.order_id and s.leg = w.leg
    ), firsts as materialized (
      select distinct on (batch) key, batch from redeems
      where due_at <= now()
        and not exists (
          select from attempts mine join attempts theirs on theirs.tx = mine.tx and theirs.action_key <> mine.action_key
            join actions held on held.key = theirs.action_key
          where mine.action_key = redeems.key and held.lease_until > now() and (held.wanted or held.cancelling))
        and (leg <> 'source' or not exists (
          select from cosigned_redeems mine join cosigned_redeems theirs on theirs.transaction = mine.transaction
            join actions held on held.order_id = theirs.order_id and held.leg = 'source' and held.verb = 'redeem'
          where mine.order_id = redeems.order_id and theirs.order_id <> mine.order_id
            and held.lease_until > now() and (held.wanted or held.cancelling)))
      order by batch, due_at, key
    ), picked as materialized (
      select key,
        (select count(*) from redeems) = ${MOST_REDEEMS}
        or exists (select from redeems where redeems.batch = firsts.batch and redeems.key <> firsts.key and last_tx is null)
        or exists (
          select from attempts mine join attempts theirs on theirs.tx = mine.tx and theirs.action_key <> mine.action_key
          where mine.action_key = firsts.key) as may_batch
      from firsts
      union all (
        select key, false from actions where verb <> 'redeem' and ${isFree} and due_at <= now() order by due_at limit ${limit}
      )
    ), chosen as materialized (
      select actions.key, picked.may_batch from actions join picked on picked.key = actions.key
      where ${isFree} and due_at <= now()
      order by verb = 'redeem' desc, due_at limit ${limit} for update of actions skip locked
    )
    update actions set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${seconds}), fence = fence + 1
    from chosen where chosen.key = actions.key
    returning ${leasedColumns}, may_batch`.execute(db)
  return rows.map(parseLeased)
}

/** Of an update of `actions`. */
export const leasedColumns = sql`
  actions.key, order_id, leg, verb, cancelling, last_tx, fence, failures, lease_holder as holder,
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
  may_batch: boolean
}

export function parseLeased(row: LeasedRow): LeasedAction {
  const { order_id: orderId, last_tx: lastTx, waited_ms: waitedMs, may_batch: mayBatch, ...rest } = row
  return { ...rest, orderId, lastTx, waitedMs, mayBatch }
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
