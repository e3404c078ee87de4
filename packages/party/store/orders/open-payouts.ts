/** Reads payouts that may still be sent: open orders whose source has a mined deposit and whose destination is not spent. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { number, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

const count = prepare(
  'count-open-payouts',
  shape({ payouts: number }),
  `select count(*)::integer as payouts from swaps as destination
    join swaps as source on source.order_id = destination.order_id and source.leg = 'source'
  where destination.chain = $1 and destination.open and destination.leg = 'destination' and is_funded(source) and not exists (
    select from events where events.chain = destination.chain and events.swap_id = destination.swap_id
      and kind <> 'initiated' and block_height is not null
  )`,
)

export async function countOpenPayouts(db: Database, chain: ChainId): Promise<bigint> {
  const [row] = await count(db, [chain])
  return BigInt(row?.payouts ?? 0)
}
