/** Only one transaction at a time records what a chain shows. It sees all that was recorded before. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { Database } from '../database/database.ts'

/** Until the transaction ends. Several chains must be locked in the sequence of their names. */
export async function lockChain(tx: Database, chain: ChainId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`listen ${chain}`}, 0))`.execute(tx)
}
