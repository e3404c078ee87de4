/** Reads in one round trip what reservations depend on: the orders that may reserve inventory, and the newest block of each chain. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { sql } from 'kysely'
import { bigintText, fields, listOrNull, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

export type InventoryMarks = {
  /** The marks differ from those read earlier if something was recorded about the order. */
  readonly marks: ReadonlyMap<string, readonly string[]>
  readonly tips: ReadonlyMap<ChainId, string>
  readonly granted: ReadonlyMap<string, bigint>
}

const row = shape({
  marks: listOrNull(fields({ orderId: text, id: text })),
  tips: listOrNull(fields({ chain: text, hash: text })),
  granted: listOrNull(fields({ orderId: text, amount: bigintText })),
})

const selectMarks = prepare(
  'inventory-marks',
  row,
  `select
    (select json_agg(json_build_array(order_id, id::text) order by id) from inventory_marks) as marks,
    (select json_agg(json_build_array(chain, newest.hash)) from unnest($1::text[]) as chain cross join lateral (
      select hash from blocks where blocks.chain = chain.chain order by height desc limit 1
    ) as newest) as tips,
    (select json_agg(json_build_array(order_id, amount::text)) from reservations
      where order_id in (select order_id from inventory_marks)) as granted`,
)

/** After this call every record about an order marks it. The call is safe to repeat. A service's database needs no marks. */
export async function keepInventoryMarks(db: Database): Promise<void> {
  await sql`select keep_inventory_marks()`.execute(db)
}

export async function readInventoryMarks(db: Database, chains: readonly ChainId[]): Promise<InventoryMarks> {
  const [found] = await selectMarks(db, [chains])
  const marks = new Map<string, string[]>()
  for (const { orderId, id } of found?.marks ?? []) {
    const others = marks.get(orderId)
    if (others === undefined) marks.set(orderId, [id])
    else others.push(id)
  }
  const granted = new Map(found?.granted.map(({ orderId, amount }) => [orderId, amount]))
  return { marks, tips: new Map(found?.tips.map(({ chain, hash }) => [chain, hash])), granted }
}

/** Deletes by ids, so that a mark that is written meanwhile stays. Rows that another process deletes are skipped. */
export async function deleteInventoryMarks(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from inventory_marks where id in (
      select id from inventory_marks where id = any(${ids}::bigint[]) for update skip locked
    )`.execute(db)
}
