/** Reads only the considered deposits of a swap and their spends, as a protection against very many deposits. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { MAX_MINED, MAX_UNCONFIRMED } from '@tandem/protocol/considered.ts'
import { MAX_COUNTED } from '@tandem/protocol/counting.ts'
import type { BlockRef, HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import { sql } from 'kysely'
import { bigint, nullable, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { eventKind } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'

/** Up to this many events, reading all is cheaper than choosing. */
export const MAX_EVENTS_READ = 300

export type SwapEvents = {
  readonly events: readonly HtlcEvent[]
  readonly unreadDeposits: number
}

/** The database makes the same choice as `considerDeposits`. */
export async function readConsideredEvents(db: Database, chain: ChainId, swapId: SwapId): Promise<SwapEvents> {
  const inChainOrder = sql`block_height nulls last, tx collate "C", index collate "C"`
  const rows = await readRows(db, shape({ ...eventColumns, deposits: bigint }))`
    with deposits as not materialized (
      select * from events where chain = ${chain} and swap_id = ${swapId} and kind = 'initiated'
    ), considered as materialized (
      (select deposit from deposits where block_height is not null order by amount desc, ${inChainOrder} limit ${MAX_MINED})
      union (select deposit from deposits where block_height is null order by amount desc, ${inChainOrder} limit ${MAX_UNCONFIRMED})
      union (select deposit from deposits order by ${inChainOrder} limit ${MAX_COUNTED})
      union (
        select deposit from deposits where amount = (select amount from swaps where chain = ${chain} and swap_id = ${swapId})
        order by ${inChainOrder} limit 1
      )
      union (
        select unnest(fills.deposits) from fills join swaps on swaps.order_id = fills.order_id
        where swaps.chain = ${chain} and swaps.swap_id = ${swapId}
      )
    )
    select events.*, (select count(*) from deposits) as deposits
    from events join considered on considered.deposit = events.deposit
    where events.chain = ${chain} and events.swap_id = ${swapId}`
  const events = rows.map(parseEvent)
  const read = events.filter(({ kind }) => kind === 'initiated').length
  return { events, unreadDeposits: Number(rows[0]?.deposits ?? 0n) - read }
}

const eventColumns = {
  chain: text,
  tx: text,
  index: text,
  swap_id: text,
  kind: eventKind,
  deposit: text,
  amount: nullable(bigint),
  secret: nullable(text),
  block_height: nullable(bigint),
  block_hash: nullable(text),
  block_time: nullable(bigint),
  block_ordinal: nullable(bigint),
  expires_at: nullable(bigint),
}
export const eventRow = shape(eventColumns)

export function parseEvent(row: ValueOf<typeof eventRow>): HtlcEvent {
  const block: BlockRef | null =
    row.block_height === null || row.block_hash === null || row.block_time === null
      ? null
      : {
          height: row.block_height,
          hash: row.block_hash,
          time: row.block_time,
          ...(row.block_ordinal !== null && { ordinal: row.block_ordinal }),
        }
  const sighting = { swapId: row.swap_id, tx: row.tx, index: row.index, block, deposit: row.deposit }
  return row.kind === 'initiated'
    ? { ...sighting, kind: 'initiated', amount: row.amount ?? 0n, expiresAt: row.expires_at }
    : { ...sighting, kind: row.kind, secret: row.secret, ...(row.amount !== null && { paid: row.amount }) }
}
