/** A rogue solver swaps with itself, names itself as the affiliate, and pays nothing in. */

import { createApp } from '@tandem/party/store/apps/apps.ts'
import { auditLedger } from '@tandem/party/store/ledger/audit-ledger.ts'
import { readCollected, readEarnings } from '@tandem/party/store/ledger/ledger.ts'
import { markOwnPaidIn, recordSolverPayment } from '@tandem/party/store/ledger/paid-in.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { closeAnyway, putOrder } from '@tandem/party/store/store.fixture.ts'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'

const usdc = 'ethereum_localnet:usdc'
const store = sharedStore()
beforeAll(async () => {
  await createApp(store.db, 'shop')
})
beforeEach(async () => {
  await sql`truncate orders, order_list, order_counts, order_count_changes, order_volumes, ledger, ledger_changes, affiliate_totals, solver_payments cascade`.execute(
    store.db,
  )
})

/** The share has this number of units, which are worth as many dollars. */
async function completed(solverId: string, affiliate: string, dollars: bigint): Promise<void> {
  const affiliateFees = [{ address: affiliate, asset: usdc, feeBips: 5000, amount: dollars.toString() }] as const
  const { order } = await putOrder(store.db, {
    app: 'shop',
    worth: { volumeUsdMicros: dollars * 2_000_000n, feeUsdMicros: 0n },
    affiliateFees,
  })
  await sql`update order_list set status = 'redeemed', solver_id = ${solverId} where order_id = ${order.id}`.execute(store.db)
  await sql`update ledger set solver_id = ${solverId} where order_id = ${order.id}`.execute(store.db)
  await closeAnyway(store.db, order.id)
  await sql`select settle_ledger(array[${order.id}])`.execute(store.db)
}
const claimable = async () => {
  const rows = await readEarnings(store.db, { app: 'shop', affiliates: null, offset: 0, limit: 10 })
  return Object.fromEntries(rows.map(({ affiliate, total, waiting }) => [affiliate, [total, waiting]]))
}
const pay = (solverId: string, dollars: bigint, reference = 'invoice 1') =>
  recordSolverPayment(store.db, { solverId, reference, usdMicros: dollars * 1_000_000n })

test('has nothing to claim, however much it swaps and others pay in', async () => {
  for (let swaps = 0; swaps < 3; swaps += 1) await completed('rogue', 'itself', 1000n)
  await completed('honest', 'ann', 50n)
  expect(await claimable()).toEqual({ itself: [0n, 3000n], ann: [0n, 50n] })
  expect(await pay('honest', 50n)).toBe(true)
  expect(await claimable()).toEqual({ itself: [0n, 3000n], ann: [50n, 0n] })
  expect(await readCollected(store.db)).toEqual([
    { solverId: 'honest', usdMicros: 50_000_000n, waitingUsdMicros: 0n },
    { solverId: 'rogue', usdMicros: 3_000_000_000n, waitingUsdMicros: 3_000_000_000n },
  ])
  // A small payment by the rogue, after others have paid in advance, must not help it either.
  await pay('honest', 5000n, 'in advance')
  await pay('rogue', 1n)
  expect(await claimable()).toMatchObject({ itself: [0n, 3000n] })
  expect(await auditLedger(store.db)).toEqual([])
})

test('a payment covers the oldest orders in full, once for each reference, and what is left counts with the next one', async () => {
  for (const dollars of [30n, 50n, 10n]) await completed('acme', `a${dollars}`, dollars)
  await pay('acme', 60n)
  expect(await claimable()).toEqual({ a30: [30n, 0n], a50: [0n, 50n], a10: [0n, 10n] })
  expect(await pay('acme', 60n)).toBe(false)
  expect(await claimable()).toMatchObject({ a50: [0n, 50n] })
  await Promise.all([pay('acme', 10n, '2'), pay('acme', 10n, '3')])
  expect(await claimable()).toEqual({ a30: [30n, 0n], a50: [50n, 0n], a10: [0n, 10n] })
  await pay('acme', 10n, '4')
  expect(await claimable()).toMatchObject({ a10: [10n, 0n] })
  expect(await auditLedger(store.db)).toEqual([])
})

test('what a solver of the operator collects needs no payment', async () => {
  await completed('own', 'ann', 5n)
  await completed('other', 'ben', 5n)
  await markOwnPaidIn(store.db, [])
  expect(await claimable()).toEqual({ ann: [0n, 5n], ben: [0n, 5n] })
  for (const _ of [1, 2]) await markOwnPaidIn(store.db, ['own'])
  expect(await claimable()).toEqual({ ann: [5n, 0n], ben: [0n, 5n] })
})
