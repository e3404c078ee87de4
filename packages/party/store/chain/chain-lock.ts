/** Only one transaction at a time records events of a chain, so it sees everything recorded before. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** The lock is held until the transaction ends. */
export async function lockChain(tx: Database, chain: ChainId): Promise<void> {
  await sql`select lock_chain(${chain})`.execute(tx)
}

/** Chains are locked in the order of their names, so that two transactions cannot deadlock. */
export async function lockChains(tx: Database, chains: readonly ChainId[]): Promise<void> {
  await sql`select lock_chains(${chains})`.execute(tx)
}
