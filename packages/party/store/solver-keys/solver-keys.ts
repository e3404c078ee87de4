/** Stores the public keys with which solvers take part in HTLCs, where parties are keys. They are kept for ever. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

export type SolverKey = { readonly solverId: string; readonly chain: string; readonly publicKey: string }

export async function readSolverKeys(db: Database): Promise<readonly SolverKey[]> {
  const rows = await db.selectFrom('solver_keys').selectAll().orderBy('first_seen').orderBy('public_key').execute()
  return rows.map((row) => ({ solverId: row.solver_id, chain: row.chain, publicKey: row.public_key }))
}

/** At most `most` keys of one solver on one chain are kept. */
export async function addSolverKey(db: Database, { solverId, chain, publicKey }: SolverKey, most: number): Promise<void> {
  await sql`insert into solver_keys (solver_id, chain, public_key)
    select ${solverId}, ${chain}, ${publicKey}
    where (select count(*) from solver_keys where solver_id = ${solverId} and chain = ${chain}) < ${most}
    on conflict do nothing`.execute(db)
}
