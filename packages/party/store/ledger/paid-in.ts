/** Marks the shares of affiliates that solvers have paid in. Only those can be claimed. */
import { sql } from 'kysely'
import { listOf, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

/** Solvers of the operator need not pay: their shares are paid in as soon as they are final. */
export async function markOwnPaidIn(db: Database, solverIds: readonly string[]): Promise<void> {
  if (solverIds.length === 0) return
  const rows = await readRows(db, shape({ ids: nullable(listOf(text)) }))`
    select array_agg(order_id) as ids from ledger where solver_id = any(${solverIds}::text[]) and final and not paid_in`
  const ids = rows[0]?.ids ?? null
  if (ids !== null) await sql`select mark_paid_in(${ids}::text[])`.execute(db)
}

export type SolverPayment = { readonly solverId: string; readonly reference: string; readonly usdMicros: bigint }

/**
 * Records what a solver paid, once for each reference, and marks its oldest final orders that its payments so far cover in full. An order
 * that they cover in part waits for the next payment. Returns false if the reference is known.
 */
export async function recordSolverPayment(db: Database, { solverId, reference, usdMicros }: SolverPayment): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('solver payments', 0))`.execute(tx)
    const { rows } = await sql`
      insert into solver_payments (solver_id, reference, usd) values (${solverId}, ${reference}, ${usdMicros.toString()}::bigint)
      on conflict do nothing returning solver_id`.execute(tx)
    if (rows.length === 0) return false
    await sql`
      select mark_paid_in(array(
        select order_id from (
          select order_id, sum(usd) over (order by seq) as running from (
            select order_id, seq, sum(usd) as usd from ledger join ledger_shares using (order_id)
            where solver_id = ${solverId} and final and not paid_in group by 1, 2
          ) as waiting
        ) as counted
        where running <= (select sum(usd) from solver_payments where solver_id = ${solverId}) - coalesce((
          select sum(usd) from ledger join ledger_shares using (order_id) where solver_id = ${solverId} and paid_in
        ), 0)
      ))`.execute(tx)
    return true
  })
}
