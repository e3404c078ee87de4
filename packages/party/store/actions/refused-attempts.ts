/** Marks attempts that every node refused, so that no node has what they contain. */
import { sql } from 'kysely'
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { durably } from '../database/durably.ts'
import { readRows } from '../database/prepared.ts'
import type { LeasedAction } from './actions.ts'

/** The call is ignored if another engine has taken over the action: that engine may have broadcast the attempts successfully. */
export async function markRefused(db: Database, action: LeasedAction, txs: readonly string[]): Promise<void> {
  await durably(db, async (tx) => {
    if (!(await lockUnlessTaken(tx, action))) return
    await sql`
      update attempts set refused_at = now() where action_key = ${action.key} and tx = any(${txs}) and refused_at is null`.execute(tx)
  })
}

/**
 * Removes the marks of an action and returns its formerly refused transactions; null when another engine has taken over. The removal must
 * be durable before they are broadcast again: this time a node may accept one.
 */
export async function unmarkRefused(db: Database, action: LeasedAction): Promise<readonly string[] | null> {
  return durably(db, async (tx) => {
    if (!(await lockUnlessTaken(tx, action))) return null
    const rows = await readRows(tx, shape({ tx: text }))`
      update attempts set refused_at = null where action_key = ${action.key} and refused_at is not null returning tx`
    return rows.map((row) => row.tx)
  })
}

async function lockUnlessTaken(tx: Database, { key, fence }: LeasedAction): Promise<boolean> {
  return (await sql`select from actions where key = ${key} and fence = ${fence} for update`.execute(tx)).rows.length > 0
}
