/** Reads the details of an order for a log line: its assets, and the known transactions. */

import type { Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { bigint, listOrNull, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { eventKind, leg } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'

export type LoggedOrder = {
  readonly id: string
  readonly app: string
  readonly solverId: string
  readonly source: { readonly asset: string; readonly amount: bigint }
  readonly destination: { readonly asset: string; readonly amount: bigint }
  readonly txs: readonly { readonly leg: Leg; readonly kind: 'initiated' | 'redeemed' | 'refunded'; readonly tx: string }[]
}

const MAX_EVENTS = sql.lit(20)

export async function readLoggedOrders(db: Database, orderIds: readonly string[]): Promise<ReadonlyMap<string, LoggedOrder>> {
  if (orderIds.length === 0) return new Map()
  const rows = await readRows(
    db,
    shape({
      id: text,
      app: nullable(text),
      solver_id: text,
      source_asset: text,
      source_amount: bigint,
      destination_asset: text,
      destination_amount: bigint,
      txs: listOrNull(shape({ leg, kind: eventKind, tx: text })),
    }),
  )`
    select orders.id, app, solver_id, s.asset as source_asset, s.amount as source_amount, d.asset as destination_asset,
      d.amount as destination_amount, (
        select json_agg(json_build_object('leg', leg, 'kind', kind, 'tx', tx) order by seen_at) from (
          select case when events.swap_id = s.swap_id and events.chain = s.chain then 'source' else 'destination' end as leg, kind, tx, seen_at
          from events where (events.chain, events.swap_id) in ((s.chain, s.swap_id), (d.chain, d.swap_id)) order by seen_at limit ${MAX_EVENTS}
        ) as seen
      ) as txs
    from orders join swaps as s on s.order_id = orders.id and s.leg = 'source' join swaps as d on d.order_id = orders.id and d.leg = 'destination'
    where orders.id = any(${orderIds}::text[])`
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        app: row.app ?? '',
        solverId: row.solver_id,
        source: { asset: row.source_asset, amount: row.source_amount },
        destination: { asset: row.destination_asset, amount: row.destination_amount },
        txs: row.txs,
      },
    ]),
  )
}
