/** Records transactions that reverted at our expense, and counts those that we relayed for an initiator. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import { number, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

/** The call is idempotent: the first time is kept. See `Outbox.noteReverted` for `weight`. */
export async function noteReverted(db: Database, keys: readonly ActionKey[], tx: string, weight = 1): Promise<void> {
  await db
    .updateTable('attempts')
    .set({ reverted_at: sql<Date>`now()`, reverted_weight: weight })
    .where('action_key', '=', anyOf(keys))
    .where('tx', '=', tx)
    .where('reverted_at', 'is', null)
    .execute()
}

/**
 * Returns the ages in seconds of relayed initiations that reverted in the last 24 hours, youngest first, of all orders on this chain to
 * which this party consented: the initiator by a signature, or the payer by prefunding. Only the consenting party can make a relay revert.
 * Orders with a deposit address are left out: anyone may pay there in the name of any initiator, and initiate just before us.
 */
export async function readRevertedRelays(db: Database, chain: ChainId, party: string): Promise<readonly number[]> {
  const isPrefunded = sql`exists (select from grants g where g.order_id = a.order_id and g.kind = 'initiate' and g.consent = 'prefunded')`
  const rows = await readRows(db, shape({ age: number }))`
    select extract(epoch from now() - t.reverted_at)::float8 as age
    from attempts t join actions a on a.key = t.action_key join swaps s on s.order_id = a.order_id and s.leg = 'source'
    where t.reverted_at > now() - interval '24 hours' and a.leg = 'source' and a.verb = 'initiate' and s.chain = ${chain} and s.deposit_address is null
      and (s.initiator = ${party} and (s.payer is null or not ${isPrefunded}) or s.payer = ${party} and ${isPrefunded})
    order by t.reverted_at desc`
  return rows.map(({ age }) => age)
}
