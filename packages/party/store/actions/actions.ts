/** The outbox: wanted actions, and their leases. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type ActionKey, type ActionVerb, actionKey, type Leg } from '@tandem/protocol/order.ts'
import { type RawBuilder, sql } from 'kysely'
import { bigint, boolean, known, nullable, number, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { actionVerb, leg } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'

export type WantedAction = { readonly orderId: string; readonly leg: Leg; readonly verb: ActionVerb }

/** What the holder of a lease is known by. A withdrawal has no order. */
export type Leased = {
  readonly key: ActionKey
  readonly orderId: string | null
  readonly fence: bigint
  readonly failures: number
}

/** `cancelling` means that the action is not wanted any more, and that its unmined transaction is to be cancelled. */
export type LeasedAction = WantedAction & {
  readonly key: ActionKey
  readonly cancelling: boolean
  readonly lastTx: string | null
  readonly fence: bigint
  readonly failures: number
  readonly holder: string
  readonly waitedMs: number
  readonly chains: Readonly<Record<Leg, ChainId>>
  /** It is false if no other redeem could have shared the transaction at the time of the lease. */
  readonly mayBatch: boolean
}

/**
 * Makes the wanted actions of these orders equal to `wanted`, idempotently. Newly wanted actions are due now; the result is true if there
 * are any. Initiations in `confirmed` need no cancelling when they are dropped. A rewind of the chain checks them again.
 */
export async function syncWanted(
  db: Database,
  orderIds: readonly string[],
  wanted: readonly WantedAction[],
  confirmed: ReadonlySet<ActionKey> = new Set(),
): Promise<boolean> {
  const rows = await readRows(db, shape({ any_new: boolean }))`
    select sync_wanted(${orderIds}, ${JSON.stringify(wanted.map(actionRow))}, ${[...confirmed]}) as any_new`
  return rows[0]?.any_new === true
}

export function actionRow({ orderId, leg, verb }: WantedAction) {
  return { key: actionKey(orderId, leg, verb), order_id: orderId, leg, verb }
}

export async function leaseAction(db: Database, holder: string, seconds: number): Promise<LeasedAction | null> {
  return (await leaseActions(db, holder, seconds, { limit: 1 }))[0] ?? null
}

export type LeaseQuery = {
  readonly limit: number
  /** The limit per chain includes actions that the holder works on already. The default is `limit`. */
  readonly perChain?: number
  readonly inProgress?: ReadonlyMap<ChainId, number>
  /** Only actions that have been due for this long are leased: another holder is about to take the others. The default is 0. */
  readonly lateMs?: number
}

/** The limits per chain are literals in the statement: the planner must know that they are few. */
const MAX_REDEEMS = sql.lit(500)
const MAX_OTHERS = sql.lit(100)

/** Withdrawals are leased by `store/solver/withdrawals.ts`. */
const OTHER_VERBS = sql`verb <> 'redeem' and verb <> 'withdraw'`

const isFree = sql`(wanted or cancelling) and (lease_until is null or lease_until < now())`

/** Costs one index lookup for each chain, however many actions there are. */
const chainsOf = (actions: RawBuilder<unknown>) => sql`
  with recursive known (chain) as (
    (select actions.chain from actions where ${actions} and (wanted or cancelling) order by actions.chain limit 1)
    union all
    select (
      select actions.chain from actions where ${actions} and (wanted or cancelling) and actions.chain > known.chain order by actions.chain limit 1
    ) from known where known.chain is not null
  ) select chain from known where chain is not null`

/**
 * Leases up to `limit` of the most overdue actions for `seconds`. Redeems come first, because they can be too late. The chains are served
 * round robin: thousands of actions of one chain do not delay those of another. From redeems that may go as one batch (same asset and
 * redeemer) it takes only the most overdue one, which leases the others itself. Redeems that share a transaction go to one holder.
 */
export async function leaseActions(
  db: Database,
  holder: string,
  seconds: number,
  { limit, perChain = limit, inProgress = new Map(), lateMs = 0 }: LeaseQuery,
): Promise<readonly LeasedAction[]> {
  const isLate = sql`due_at <= now() - make_interval(secs => ${lateMs / 1000})`
  const rows = await readRows(db, leasedRow)`
    with redeem_chains as materialized (${chainsOf(sql`verb = 'redeem'`)}
    ), other_chains as materialized (${chainsOf(OTHER_VERBS)}
    ), due as materialized (
      select first.* from redeem_chains, lateral (
        select key, order_id, leg, chain, due_at, last_tx from actions
        where verb = 'redeem' and actions.chain = redeem_chains.chain and ${isFree} and due_at <= now()
        order by due_at limit ${MAX_REDEEMS}
      ) as first
    ), soon as materialized (
      select first.* from redeem_chains, lateral (
        select key, order_id, leg, chain, due_at, last_tx from actions
        where verb = 'redeem' and actions.chain = redeem_chains.chain and ${isFree} and last_tx is null and due_at > now()
        order by due_at limit ${MAX_REDEEMS}
      ) as first
    ), redeems as materialized (
      select w.*, batch, count(*) over (partition by w.chain) as of_chain, count(*) filter (where last_tx is null) over (partition by batch) as unsent
      from (select * from due union all select * from soon) as w left join lateral (
        select concat_ws(' ', leg, chain, asset, redeemer) as batch from swaps where swaps.order_id = w.order_id and swaps.leg = w.leg limit 1
      ) as swap on true
    ), firsts as materialized (
      select distinct on (batch) * from redeems
      where ${isLate}
        and (select true
          from attempts mine join attempts theirs on theirs.tx = mine.tx and theirs.action_key <> mine.action_key
            join actions held on held.key = theirs.action_key
          where mine.action_key = redeems.key and held.lease_until > now() and (held.wanted or held.cancelling) limit 1) is null
        and (leg <> 'source' or (select true
          from cosigned_redeems mine join cosigned_redeems theirs on theirs.transaction = mine.transaction
            join actions held on held.order_id = theirs.order_id and held.leg = 'source' and held.verb = 'redeem'
          where mine.order_id = redeems.order_id and theirs.order_id <> mine.order_id
            and held.lease_until > now() and (held.wanted or held.cancelling) limit 1) is null)
      order by batch, due_at, key
    ), candidates as materialized (
      select key, chain, due_at, true as is_redeem,
        of_chain >= ${MAX_REDEEMS} or unsent > case when last_tx is null then 1 else 0 end as may_batch
      from firsts
      union all
      select first.key, first.chain, first.due_at, false, false from other_chains, lateral (
        select key, chain, due_at from actions
        where ${OTHER_VERBS} and actions.chain = other_chains.chain and ${isFree} and ${isLate}
        order by due_at limit ${MAX_OTHERS}
      ) as first
    ), ranked as materialized (
      select *, row_number() over (partition by chain order by is_redeem desc, due_at) as rank from candidates
    ), picked as materialized (
      select * from ranked
      where rank <= ${perChain}::integer - coalesce((${JSON.stringify(Object.fromEntries(inProgress))}::json ->> chain)::integer, 0)
      -- Others may be leasing the first ones now.
      order by is_redeem desc, rank, due_at limit 3 * ${limit}
    ), chosen as materialized (
      select key from actions
      where key = any(array(select key from picked)) and ${isFree} and ${isLate}
      order by array_position(array(select key from picked), key) limit ${limit} for update skip locked
    )
    update actions set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${seconds}), fence = fence + 1
    where key = any(array(select key from chosen))
    returning ${leasedColumns}, (select may_batch from picked where picked.key = actions.key) or (verb = 'redeem' and (select true
      from attempts mine join attempts theirs on theirs.tx = mine.tx and theirs.action_key <> mine.action_key
      where mine.action_key = actions.key limit 1) is not null) as may_batch`
  return rows.flatMap(parseLeased)
}

export const leasedColumns = sql`
  actions.key, order_id, leg, verb, cancelling, last_tx, fence, failures, lease_holder as holder,
  least(extract(epoch from now() - due_at) * 1000, 1e9)::integer as waited_ms,
  (select json_object_agg(swaps.leg, swaps.chain) from swaps where swaps.order_id = actions.order_id) as chains`

export const leasedRow = shape({
  key: text,
  order_id: text,
  leg,
  verb: known(actionVerb),
  cancelling: boolean,
  last_tx: nullable(text),
  fence: bigint,
  failures: number,
  holder: text,
  waited_ms: number,
  chains: shape({ source: text, destination: text }),
  may_batch: boolean,
})

/** Returns none if this version does not know the verb. The lease then ends by itself. */
export function parseLeased(row: ValueOf<typeof leasedRow>): readonly LeasedAction[] {
  const { order_id: orderId, last_tx: lastTx, waited_ms: waitedMs, may_batch: mayBatch, verb, ...rest } = row
  return verb === null ? [] : [{ ...rest, verb, orderId, lastTx, waitedMs, mayBatch }]
}

export type KnownAction = {
  readonly wanted: boolean
  readonly lastTx: string | null
  readonly lastError: string | null
  /** The transaction was mined and reverted, and none was sent since. */
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
export async function makeActionDue(db: Database, key: ActionKey): Promise<void> {
  await db
    .updateTable('actions')
    .set({ due_at: sql<Date>`now()`, refusal: null })
    .where('key', '=', key)
    .where('wanted', '=', true)
    .execute()
}

/** Makes the actions of an attempt due now, unless they are leased. It waits for no lock, so it cannot deadlock. */
export async function makeAttemptDue(
  db: Database,
  { chain, sender, tx }: { readonly chain: ChainId; readonly sender: string; readonly tx: string },
): Promise<void> {
  await sql`
    with free as materialized (
      select key from actions
      where key in (select action_key from attempts where chain = ${chain} and sender = ${sender} and tx = ${tx})
        and due_at > now() and ${isFree}
      for update skip locked
    )
    update actions set due_at = now() where key in (select key from free)`.execute(db)
}
