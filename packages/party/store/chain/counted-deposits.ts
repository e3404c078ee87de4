/** Finds deposits that had their confirmations. If a reorg removes one, a party that acted on it may lose money. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

export type CountedDeposit = { readonly swapId: SwapId; readonly deposit: string }

const countedDeposit = shape({ swapId: text, deposit: text })

/** Covers open orders and blocks from this height on. Heights count as blocks, so skipped heights add deposits, never lose them. */
export async function readCountedDeposits(
  db: Database,
  chain: ChainId,
  range: { readonly from: bigint; readonly tip: bigint },
): Promise<readonly CountedDeposit[]> {
  return readRows(db, countedDeposit)`
    select events.swap_id as "swapId", events.deposit
    from events
      join swaps on swaps.chain = events.chain and swaps.swap_id = events.swap_id
      join orders on orders.id = swaps.order_id and orders.closed_at is null
    where events.chain = ${chain} and events.kind = 'initiated' and events.block_height >= ${range.from.toString()}::bigint
      and ${range.tip.toString()}::bigint - events.block_height + 1 >= swaps.required_confirmations`
}

export async function withoutBlock(db: Database, chain: ChainId, deposits: readonly CountedDeposit[]): Promise<readonly CountedDeposit[]> {
  return readRows(db, countedDeposit)`
    select given."swapId", given.deposit
    from unnest(${deposits.map(({ swapId }) => swapId)}::text[], ${deposits.map(({ deposit }) => deposit)}::text[]) as given ("swapId", deposit)
    where not exists (
      select from events
      where events.chain = ${chain} and events.swap_id = given."swapId" and events.deposit = given.deposit
        and events.kind = 'initiated' and events.block_height is not null
    )`
}
