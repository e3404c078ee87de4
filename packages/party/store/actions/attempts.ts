/** Records every signed transaction of an action before it is broadcast. */

import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import { nullable, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Leased } from './actions.ts'

export type NewAttempt = Attempt & {
  readonly actions: readonly Leased[]
  readonly chain: ChainId
  readonly sender: string
  /** The orders are marked in the same transaction. */
  readonly holdsSecret: boolean
}

/**
 * A lost lease ends the list: only attempts before the first lost one, by `place`, are recorded. Rows are locked in the order of their
 * keys, so two lists cannot deadlock. The commit waits for the disk, also if the server's default is asynchronous.
 */
const record = prepare(
  'record-attempts',
  shape({ lost: nullable(number), durable: text }),
  `
  with given as materialized (
    select * from json_to_recordset($1::json) as given (
      place integer, key text, fence bigint, order_id text, chain text, sender text, tx text, raw text, slots json, nonce bigint,
      fee_rate numeric, at bigint, holds_secret boolean)
  ), held as materialized (
    select given.place, actions.key from given join actions on actions.key = given.key
    where actions.fence = given.fence and lease_until > now() and (wanted or cancelling)
    order by actions.key for update of actions
  ), lost as materialized (
    select min(place) as place from given
    where not exists (select from held where held.key = given.key and held.place = given.place)
  ), kept as materialized (
    select given.* from given, lost where lost.place is null or given.place < lost.place
  ), recorded as (
    insert into attempts (action_key, number, chain, sender, tx, raw, slots, nonce, fee_rate, at, holds_secret)
    select key, last_attempt_of(key) + row_number() over (partition by key order by place), chain, sender, tx, raw, array(select json_array_elements_text(slots)), nonce, fee_rate, to_timestamp(at), holds_secret
    from kept
  ), marked as (
    update orders set secret_signed_at = now()
    where id in (select order_id from kept where holds_secret) and secret_signed_at is null
  )
  select place as lost, set_config('synchronous_commit', 'on', true) as durable from lost`,
)

/**
 * Records the attempts in this order, each for all of its actions or for none, up to the first whose lease is lost or whose action is not
 * wanted any more. Returns how many are durably recorded. The others must not be broadcast.
 */
export async function recordAttempts(db: Database, attempts: readonly NewAttempt[]): Promise<number> {
  const rows = attempts.flatMap(({ actions, slots, nonce, feeRate, at, holdsSecret, ...attempt }, place) =>
    actions.map(({ key, fence, orderId }) => ({
      ...attempt,
      place,
      key,
      fence: fence.toString(),
      order_id: orderId,
      slots,
      nonce: nonce?.toString() ?? null,
      fee_rate: feeRate.toString(),
      at: at.toString(),
      holds_secret: holdsSecret,
    })),
  )
  const [result] = await record(db, [JSON.stringify(rows)])
  return result?.lost ?? attempts.length
}

/** Returns attempts of one action or a batch, oldest first, and each transaction once. */
export async function readAttempts(db: Database, ...keys: readonly ActionKey[]): Promise<readonly Attempt[]> {
  const rows = await db.selectFrom('attempts').selectAll().where('action_key', '=', anyOf(keys)).orderBy('at').orderBy('number').execute()
  return [...new Map(rows.map((row) => [row.tx, parseAttempt(row)])).values()]
}

export type SenderAttempt = Attempt & {
  readonly key: ActionKey
  readonly wanted: boolean
}

export type SenderAttemptsQuery = {
  readonly chain: ChainId
  readonly sender: string
  /** Unix seconds. */
  readonly since: bigint
  readonly fromNonce: bigint | null
}

/** These attempts of the sender may still be unmined. An attempt is returned once for each action of its batch. */
export async function readSenderAttempts(db: Database, query: SenderAttemptsQuery): Promise<readonly SenderAttempt[]> {
  const rows = await db
    .selectFrom('attempts')
    .innerJoin('actions', 'actions.key', 'attempts.action_key')
    .select([
      'actions.key',
      'attempts.tx',
      'attempts.raw',
      'attempts.slots',
      'attempts.nonce',
      'attempts.fee_rate',
      'attempts.at',
      'actions.wanted',
    ])
    .where('attempts.chain', '=', query.chain)
    .where('attempts.sender', '=', query.sender)
    .where('attempts.at', '>', sql<Date>`to_timestamp(${query.since.toString()}::bigint)`)
    .$if(query.fromNonce !== null, (selected) => selected.where('attempts.nonce', '>=', query.fromNonce))
    .orderBy('attempts.at')
    .execute()
  return rows.map((row) => ({ ...parseAttempt(row), key: row.key, wanted: row.wanted }))
}

function parseAttempt(row: { tx: string; raw: string; slots: string[]; nonce: bigint | null; fee_rate: bigint; at: Date }): Attempt {
  const { tx, raw, slots, nonce, fee_rate: feeRate } = row
  return { tx, raw, slots, ...(nonce !== null && { nonce }), feeRate, at: BigInt(Math.floor(row.at.getTime() / 1000)) }
}
