/** Reads payouts that may still be sent: open orders whose source has a mined deposit and whose destination is not spent. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { bigintText, number, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

const read = prepare(
  'open-payouts',
  shape({ payouts: number, gas: bigintText, begun_gas: bigintText }),
  `select count(*)::integer as payouts, coalesce(sum(destination.gas), 0)::text as gas,
    coalesce(sum(destination.gas) filter (where destination.gas is not null and exists (
      select from actions where key = concat(destination.order_id, '/destination/redeem')
        and (lease_until > now() or exists (select from attempts where action_key = actions.key))
    )), 0)::text as begun_gas
  from swaps as destination
    join swaps as source on source.order_id = destination.order_id and source.leg = 'source'
  where destination.chain = $1 and destination.open and destination.leg = 'destination' and is_funded(source) and not exists (
    select from events where events.chain = destination.chain and events.swap_id = destination.swap_id
      and kind <> 'initiated' and block_height is not null
  )`,
)

/** `gas` is what they give of the chain's coin, in all. `begunGas` is the part of those that are signed, or may be at this moment. */
export type OpenPayouts = { readonly count: bigint; readonly gas: bigint; readonly begunGas: bigint }

export async function readOpenPayouts(db: Database, chain: ChainId): Promise<OpenPayouts> {
  const [row] = await read(db, [chain])
  return { count: BigInt(row?.payouts ?? 0), gas: row?.gas ?? 0n, begunGas: row?.begun_gas ?? 0n }
}
