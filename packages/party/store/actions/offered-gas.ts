/** Marks the redeems that offer their recipient the gas of the order. */
import type { ActionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** One that replaces another with a higher fee makes the same call, also if none would be offered by now. */
export async function noteOfferedGas(db: Database, action: ActionKey, tx: string, isOffered: boolean): Promise<void> {
  await sql`
    update attempts set offers_gas = true
    where action_key = ${action} and tx = ${tx} and (${isOffered} or exists (
      select from attempts as replaced where replaced.action_key = ${action} and replaced.offers_gas and replaced.slots && attempts.slots
    ))`.execute(db)
}
