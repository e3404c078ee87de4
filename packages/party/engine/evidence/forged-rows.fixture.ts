/** Writes rows that somebody with the password of the database could write. */

import type { Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import type { Database } from '../../store/database/database.ts'
import { recordOwnFill } from '../../store/orders/fills.ts'
import type { EngineFixture } from '../engine.fixture.ts'

/** Writes the row of a deposit as the watcher would, in the block that is `depth` below the newest. */
export async function forgeDeposit(db: Database, fixture: EngineFixture, leg: Leg, depth = 0): Promise<void> {
  const { chain, swapId, terms } = fixture.order[leg]
  const { deposit } = fixture.events(leg)
  await sql`
    insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
    select ${chain}, ${deposit.tx}, ${deposit.index}, ${swapId}, 'initiated', ${deposit.deposit}, ${terms.amount}, height, hash, time
    from blocks where chain = ${chain} order by height desc offset ${depth} limit 1`.execute(db)
}

export async function forgeFill(db: Database, fixture: EngineFixture): Promise<void> {
  const { terms, swapId } = fixture.order.destination
  const fill = { deposits: [fixture.events('source').deposit.deposit], blockHash: '', destinationAmount: terms.amount }
  await recordOwnFill(db, fixture.order.id, fill, { amount: terms.amount, swapId }, "the solver's word")
}
