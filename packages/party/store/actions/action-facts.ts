/** Reads an order with all facts, its attempts and published polls in one statement that concurrent actions share. */
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { ActionKey, Leg } from '@tandem/protocol/order.ts'
import { MAX_EVENTS_READ } from '../chain/considered-events.ts'
import { bigintText, boolean, fields, listOf, listOrNull, nullable, number, shape, text, type ValueOf } from '../database/columns.ts'
import { prepare } from '../database/prepared.ts'
import { sharePerDatabase } from '../database/share-statements.ts'
import { parseSnapshot, type RecordedTip, type StoredOrder, selectSnapshots, snapshotColumns } from '../orders/order-rows.ts'

export type ActionFacts = {
  readonly stored: StoredOrder
  readonly legs: Readonly<Record<Leg, RecordedLeg>>
  readonly attempts: readonly Attempt[]
}

/** All values are of the same moment. */
export type RecordedLeg = {
  readonly tip: RecordedTip | null
  /** It is null if there are too many to read all. */
  readonly events: readonly HtlcEvent[] | null
  /**
   * The time since the last published poll began. Everything up to its newest block is recorded, and what was recorded since is newer. It
   * is null if that block is not on record, because a reorg has removed it.
   */
  readonly publishedAgeMs: number | null
}

export type ActionFactsQuery = { readonly orderId: string; readonly key: ActionKey | null }

const poll = nullable(fields({ ageMs: number, isOnRecord: boolean }))
const row = shape({
  ...snapshotColumns,
  s_poll: poll,
  d_poll: poll,
  attempts: listOrNull(
    fields({ action: text, tx: text, raw: text, slots: listOf(text), nonce: nullable(bigintText), feeRate: bigintText, at: bigintText }),
  ),
})
type Row = ValueOf<typeof row>

/** The newest block of a published poll is searched among this many, because more may be recorded since. */
const NEWEST_BLOCKS = 32

const pollColumn = (swap: 's' | 'd') => `,
  (select json_build_array((extract(epoch from clock_timestamp() - began_at) * 1000)::float8, polls.hash in (
      select blocks.hash from blocks where blocks.chain = ${swap}.chain order by height desc limit ${NEWEST_BLOCKS}))
    from polls where polls.chain = ${swap}.chain) as ${swap}_poll`

const ATTEMPTS = `,
  (select json_agg(json_build_array(
      action_key, tx, raw, slots, attempts.nonce::text, fee_rate::text, floor(extract(epoch from at))::bigint::text) order by at, number)
    from actions join attempts on attempts.action_key = actions.key
    where actions.order_id = o.id and actions.key = any($2)) as attempts`

const select = prepare('action-facts', row, selectSnapshots('where o.id = any($1)', pollColumn('s') + pollColumn('d') + ATTEMPTS))

export const readActionFacts = sharePerDatabase<ActionFactsQuery, ActionFacts | null>(async (db, queries) => {
  const rows = await select(db, [
    [...new Set(queries.map(({ orderId }) => orderId))],
    queries.flatMap(({ key }) => (key === null ? [] : [key])),
  ])
  const found = new Map(rows.map((row) => [row.o_order.id, row]))
  return queries.map(({ orderId, key }) => {
    const row = found.get(orderId)
    return row === undefined ? null : parse(row, key)
  })
})

function parse(row: Row, key: ActionKey | null): ActionFacts {
  const { stored, tips, events } = parseSnapshot(row)
  const leg = (name: Leg, poll: Row['s_poll']): RecordedLeg => ({
    tip: tips[name],
    events: events[name].length > MAX_EVENTS_READ ? null : events[name],
    publishedAgeMs: poll?.isOnRecord === true ? poll.ageMs : null,
  })
  return {
    stored,
    legs: { source: leg('source', row.s_poll), destination: leg('destination', row.d_poll) },
    attempts: row.attempts.filter(({ action }) => action === key).map(parseAttempt),
  }
}

function parseAttempt({ tx, raw, slots, nonce, feeRate, at }: Row['attempts'][number]): Attempt {
  return { tx, raw, slots, ...(nonce !== null && { nonce }), feeRate, at }
}
