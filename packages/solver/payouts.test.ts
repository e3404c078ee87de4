import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import { openTestStore, putOrder, type TestStore } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPayouts } from './payouts.ts'
import { openSolver, type TestSolver } from './solver.fixture.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
let solver: TestSolver
beforeEach(async () => {
  solver = await openSolver(store)
})
afterAll(() => store.close())

/** A solver that remembers nothing yet, and what its chain was asked. */
function open(obstacle: string | null) {
  const { context, ethereum } = solver
  const asked: (PlannedPayout | null)[] = []
  Object.assign(ethereum, {
    async checkRecipient(_address: string, _asset: string, payout: PlannedPayout | null) {
      asked.push(payout)
      return obstacle
    },
  })
  const { payCheck, assertWelcome } = createPayouts(context)
  const payer = ethereum.addressOf(context.keys.of(ethereum.curve))
  return {
    asked,
    assertWelcome: (order: Order) => assertWelcome(order, 'one'),
    check: (order: Order) => payCheck({ order } as OrderState),
    payer,
  }
}

async function make(recipient: string, weight = 0, service = 'one'): Promise<Order> {
  const customer = { service, app: null, owner: null, usdMicros: 1n }
  const { order } = await putOrder(store.db, { app: null, destinationOwner: recipient, customer })
  if (weight > 0) await sql`select note_failed_payout(${order.id}, ${weight})`.execute(store.db)
  const { destination } = order
  return { ...order, destination: { ...destination, terms: { ...destination.terms, redeemer: recipient } } }
}

test('the solver tries the payout itself before it locks, as the one who pays', async () => {
  const order = await make('alice')
  const { amount } = order.destination.terms
  const good = open(null)
  expect(await good.check(order)).toBeNull()
  expect(good.asked).toEqual([{ amount, payer: good.payer, isTrusted: true }])
  expect(await open('it is a contract').check(order)).toBe('alice cannot receive ethereum_localnet:wbtc: it is a contract')
})

test('a recipient whose payouts failed too often is not welcome, and not paid', async () => {
  const first = await make('hostile', 3)
  const { check, assertWelcome } = open(null)
  await assertWelcome(await make('hostile'))
  // What it refuses itself counts, too.
  await open('it rejects').check(await make('hostile'))
  const spent = open(null)
  await expect(spent.assertWelcome(await make('hostile'))).rejects.toMatchObject({ code: 'conflict' })
  expect(await spent.check(await make('hostile'))).toContain('too many payouts to hostile failed')
  expect(spent.asked).toEqual([])
  expect(await spent.check(first)).toBeNull()
  // Another service may have made them up.
  expect(await spent.check(await make('hostile', 0, 'two'))).toBeNull()
  expect(await check(await make('honest'))).toBeNull()
})
