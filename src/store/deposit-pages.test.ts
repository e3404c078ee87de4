/** Pages of orders that are read every few seconds read no more than themselves, however many orders there are. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from './apps.ts'
import type { Database } from './database.ts'
import { listReclaimableAfter } from './reclaims.ts'
import { closeAnyway, NOW, openTestStore, putOrder, type TestStore } from './store-fixture.ts'

const CHAIN = 'bitcoin_regtest'
const MANY = 4_000
const LIMIT = 20
const DEADLINE = NOW + 3_600n

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
  await createApp(store.db, 'shop')
  const { order } = await putOrder(store.db, { app: 'shop', worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n } })
  await closeAnyway(store.db, order.id)
  await copy(order.id, MANY)
  await sql`update orders set closed_at = null where seq % 40 = 0`.execute(store.db)
  await sql`analyze`.execute(store.db)
})
afterAll(() => store.close())

/** Each is open or closed as the first one is; the later, the longer it can wait. */
async function copy(id: string, times: number): Promise<void> {
  await sql`
    insert into orders (id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, closed_at, price_expires_at)
    select id || n, app, solver_id, nonce || n, source_owner, destination_owner, secret_hash || n, deadline + n, closed_at, price_expires_at
    from orders, generate_series(1, ${times}::integer) n where id = ${id} order by n`.execute(store.db)
  await sql`
    insert into swaps (order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, secret_hash, timelock, required_confirmations, agreed_amount)
    select order_id || n, leg, chain, asset, swap_id || n, initiator, redeemer, amount, secret_hash || n, timelock, required_confirmations, agreed_amount
    from swaps, generate_series(1, ${times}::integer) n where order_id = ${id}`.execute(store.db)
  await sql`
    insert into order_list (seq, order_id, app, solver_id, from_chain, to_chain, from_owner, to_owner, status, deadline, created_at, volume, fee)
    select o.seq, o.id, l.app, l.solver_id, from_chain, to_chain, from_owner, to_owner, status, o.deadline, l.created_at, volume, fee
    from orders o, order_list l where l.order_id = ${id} and o.id <> ${id}`.execute(store.db)
}

type Plan = {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}
/** What is read of any table or index, also what is thrown away at once. */
function rowsRead(plan: Plan): number {
  const own = plan['Node Type'].includes('Scan') ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own)
}

/** Of a statement as the connection has it prepared, for whatever parameters. */
const rowsReadBy = (read: (db: Database) => Promise<unknown>, name: string, parameters: string) =>
  store.db.connection().execute(async (db) => {
    await read(db)
    await sql`set plan_cache_mode = force_generic_plan`.execute(db)
    const { rows } = await sql
      .raw<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(`explain (analyze, format json) execute "${name}" (${parameters})`)
      .execute(db)
    await sql`reset plan_cache_mode`.execute(db)
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    if (plan === undefined) throw new Error('there is no plan')
    return rowsRead(plan)
  })

describe('what is read for a page', () => {
  /** Of the order, both swaps, its place in the list, its grants, and the page itself once more. */
  const MOST = LIMIT * 10

  test('of open orders, most of them being closed', async () => {
    const query = { now: DEADLINE + 10_000n, after: 1_000n, limit: LIMIT }
    const { orders, end } = await listReclaimableAfter(store.db, CHAIN, query)
    expect(orders).toHaveLength(LIMIT)
    expect(end).toBe(query.after + 40n * BigInt(LIMIT))
    const read = await rowsReadBy(
      (db) => listReclaimableAfter(db, CHAIN, query),
      'list-reclaimable-after',
      `'${CHAIN}', ${query.now}, ${query.after}, ${LIMIT}`,
    )
    expect(read).toBeGreaterThan(LIMIT)
    expect(read).toBeLessThan(MOST)
  })
})
