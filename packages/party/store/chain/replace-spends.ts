/** Replaces the recorded spends of a swap by those that its chain shows. This corrects rows that somebody wrote, edited or deleted. */

import type { Block } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { lockChain } from './chain-lock.ts'
import { eventRows } from './poll-rows.ts'

export type SpendsRead = {
  readonly chain: ChainId
  readonly swapId: SwapId
  readonly orderId: string
  /** The range was read from the chain. It ends at a block on record. */
  readonly from: bigint
  readonly to: Pick<Block, 'height' | 'hash'>
  readonly spends: readonly HtlcEvent[]
  /** The secret of the order, if a spend shows it. */
  readonly secret: Hex32 | null
}

/** Returns true if rows were wrong; a row that only lacks what was paid out is not. After a rewind nothing is written. */
export async function replaceSpends(db: Database, { chain, swapId, orderId, from, to, spends, secret }: SpendsRead): Promise<boolean> {
  const seen = JSON.stringify(eventRows({ mined: spends, unconfirmed: [] }))
  return db.transaction().execute(async (tx) => {
    await lockChain(tx, chain)
    const { rows: kept } = await sql`select from blocks where chain = ${chain} and height = ${to.height} and hash = ${to.hash}`.execute(tx)
    if (kept.length === 0) return false
    const { rows: deleted } = await sql`
      delete from events where chain = ${chain} and swap_id = ${swapId} and kind <> 'initiated' and block_height between ${from} and ${to.height}
        and not exists (
          select from json_to_recordset(${seen}) as seen (tx text, index text) where seen.tx = events.tx and seen.index = events.index
        )
      returning tx`.execute(tx)
    const { rows: written } = await sql`
      insert into events (chain, tx, index, swap_id, kind, deposit, amount, secret, block_height, block_hash, block_time, block_ordinal)
      select ${chain}::text, seen.* from json_to_recordset(${seen}) as seen (
        tx text, index text, swap_id text, kind text, deposit text, amount numeric, secret text,
        block_height bigint, block_hash text, block_time bigint, block_ordinal bigint
      )
      on conflict (chain, tx, index) do update set
        swap_id = excluded.swap_id, kind = excluded.kind, deposit = excluded.deposit, amount = excluded.amount, secret = excluded.secret,
        block_height = excluded.block_height, block_hash = excluded.block_hash, block_time = excluded.block_time,
        block_ordinal = excluded.block_ordinal
      where (events.swap_id, events.kind, events.deposit, coalesce(events.amount, excluded.amount), events.secret, events.block_hash, events.block_height)
        is distinct from (excluded.swap_id, excluded.kind, excluded.deposit, excluded.amount, excluded.secret, excluded.block_hash, excluded.block_height)
      returning tx`.execute(tx)
    const { rows: shown } = await sql`
      update orders set seen_secret = ${secret}, seen_secret_at = now()
      where id = ${orderId} and ${secret}::text is not null and seen_secret is distinct from ${secret} returning id`.execute(tx)
    if (deleted.length + written.length + shown.length === 0) return false
    await sql`select reopen_orders(${chain}, ${[swapId]})`.execute(tx)
    return true
  })
}
