/** Tests that a solver tries a payout before it locks, and reports changes to the service. */
import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { putOrder } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createChanges } from './changes.ts'
import { createPayouts } from './payouts.ts'
import { freshSolver } from './solver.fixture.ts'

const store = sharedStore()
const solver = freshSolver(store)

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
  const payer = ethereum.addressOf(context.keys.of(ethereum))
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
  // The solver's own refusals count, too.
  await open('it rejects').check(await make('hostile'))
  const spent = open(null)
  await expect(spent.assertWelcome(await make('hostile'))).rejects.toMatchObject({ code: 'conflict' })
  expect(await spent.check(await make('hostile'))).toContain('too many payouts to hostile failed')
  expect(spent.asked).toEqual([])
  expect(await spent.check(first)).toBeNull()
  // Another service may have invented them.
  expect(await spent.check(await make('hostile', 0, 'two'))).toBeNull()
  expect(await check(await make('honest'))).toBeNull()
})

const NEVER_MS = 3_600_000

test('answers with the chains that changed since, each once', async () => {
  const changes = createChanges(NEVER_MS)
  changes.note('a')
  changes.note('b')
  changes.note('a')
  const first = await changes.since(0, 'a service')
  expect(first).toEqual({ next: 3, chains: ['a', 'b'] })
  changes.note('b')
  expect(await changes.since(first.next, 'a service')).toEqual({ next: 4, chains: ['b'] })
})

test('waits for the next change, and answers all waiting requests with it', async () => {
  const changes = createChanges(NEVER_MS)
  const waiting = [changes.since(0, 'a service'), changes.since(0, 'a service')]
  changes.note('a')
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 2 }, () => ({ next: 1, chains: ['a'] })))
})

test('leaves out the chains that a caller excludes', async () => {
  const changes = createChanges(NEVER_MS)
  changes.note('a')
  let isAnswered = false
  const waiting = changes.since(0, 'a service', ['a']).finally(() => {
    isAnswered = true
  })
  changes.note('a')
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  changes.note('b')
  expect(await waiting).toEqual({ next: 3, chains: ['b'] })
})

test('answers with nothing after a while, and when it is closed', async () => {
  expect(await createChanges(1).since(0, 'a service')).toEqual({ next: 0, chains: [] })
  const changes = createChanges(NEVER_MS)
  const waiting = changes.since(0, 'a service')
  changes.close()
  expect(await waiting).toEqual({ next: 0, chains: [] })
  expect(await changes.since(0, 'a service')).toEqual({ next: 0, chains: [] })
})

test('a number from before a restart misses nothing', async () => {
  const changes = createChanges(NEVER_MS)
  changes.note('a')
  expect(await changes.since(1000, 'a service')).toEqual({ next: 1, chains: ['a'] })
})

test('lets only so many wait', async () => {
  const changes = createChanges(NEVER_MS)
  const waiting = Array.from({ length: 32 }, () => changes.since(0, 'a service'))
  expect(await changes.since(0, 'a service')).toEqual({ next: 0, chains: [] })
  changes.close()
  await Promise.all(waiting)
})
