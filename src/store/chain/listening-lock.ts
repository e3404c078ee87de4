/** One at a time writes what a chain said: whoever holds this sees all that was written before, and nothing is written until it is done. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain.ts'
import type { Database } from '../database/database.ts'

/** Until the transaction ends. Several chains must be locked in the sequence of their names. */
export async function lockListening(tx: Database, chain: ChainId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`listen ${chain}`}, 0))`.execute(tx)
}
