/** Tests which orders count for or against a solver. */
import { factsOf, normalTimes } from '@tandem/protocol/example-order.fixture.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import type { Phase } from '@tandem/protocol/swap-state.ts'
import { beforeEach, expect, test } from 'vitest'
import type { Member } from './member.ts'
import { createPaymentWatch } from './payment-watch.ts'

const PATIENCE_MS = 120_000
let now: number
let noted: string[]
let fundings: string[]
let stored: OrderState | null
let trial: () => Promise<string | null>
let look: () => Promise<boolean>
let watch: (states: readonly OrderState[]) => void

beforeEach(() => {
  now = 1
  noted = []
  fundings = []
  stored = null
  trial = async () => null
  look = async () => false
  const notes = {
    orderPaid: () => void noted.push('paid'),
    orderUnpaid: () => void noted.push('unpaid'),
    quoteBroken: () => void noted.push('broken'),
  }
  watch = createPaymentWatch({
    pool: {
      find: (id) => (id === 'solver' ? (notes as Member) : null),
      recordFunded: (key, solverId) => void fundings.push(`${solverId}: ${key}`),
    },
    tryPayout: () => trial(),
    isPaymentInMempool: () => look(),
    readState: async () => stored,
    log: { warn: () => undefined } as never,
    nowMs: () => now,
  })
})

const stateOf = (source: Phase, destination: Phase, change: Partial<ReturnType<typeof factsOf>> = {}, late = false) =>
  deriveOrder({ ...factsOf({ ...normalTimes(source, destination), fundedLate: late }), ...change })
const settle = () => new Promise(setImmediate)
const funded = stateOf('initiated', 'waiting')
const pass = async (ms: number) => {
  now += ms
  watch([])
  await settle()
}

test('a funded order that the solver pays counts for it, once', () => {
  watch([funded])
  watch([funded])
  watch([stateOf('initiated', 'seen')])
  watch([stateOf('initiated', 'initiated')])
  expect(noted).toEqual(['paid'])
})

test('a funded order that it leaves unpaid counts against it after a while, once', async () => {
  stored = funded
  watch([funded])
  await pass(PATIENCE_MS - 1)
  expect(noted).toEqual([])
  await pass(1)
  await pass(PATIENCE_MS)
  expect(noted).toEqual(['unpaid'])
  // Every block derives the order again. One order must not exclude a solver for as long as it is open.
  for (let blocks = 0; blocks < 3; blocks++) {
    watch([funded])
    await pass(PATIENCE_MS)
  }
  expect(noted).toEqual(['unpaid'])
  watch([stateOf('initiated', 'seen')])
  watch([stateOf('initiated', 'initiated')])
  expect(noted).toEqual(['unpaid', 'paid'])
})

test('a payment that the watcher has not seen counts as paid when a look at its address shows it', async () => {
  stored = funded
  look = async () => true
  watch([funded])
  await pass(PATIENCE_MS)
  expect(noted).toEqual(['paid'])
})

test('an order whose address could not be looked at counts for nothing, and is looked at again', async () => {
  stored = funded
  look = async () => {
    throw new Error('the nodes do not answer')
  }
  watch([funded])
  await pass(PATIENCE_MS)
  await pass(PATIENCE_MS)
  expect(noted).toEqual([])
  look = async () => false
  await pass(PATIENCE_MS)
  expect(noted).toEqual(['unpaid'])
})

test('if another process saw the payment, the order counts as paid; one that ended otherwise counts for nothing', async () => {
  for (const state of [stateOf('initiated', 'initiated'), stateOf('refunded', 'waiting'), null]) {
    stored = state
    watch([funded])
    await pass(PATIENCE_MS)
  }
  expect(noted).toEqual(['paid'])
})

test('while a chain stands still, no order counts against a solver', async () => {
  stored = stateOf('initiated', 'waiting', { now: 1_800_000_000n })
  expect(stored.chainsAlive).toBe(false)
  watch([stored])
  await pass(PATIENCE_MS)
  expect(noted).toEqual([])
})

test('declining an order that was funded in time breaks its quote; a late deposit may be declined', async () => {
  const declined = stateOf('initiated', 'waiting', { declined: 'no money' })
  watch([declined])
  watch([declined])
  await settle()
  expect(noted).toEqual(['broken'])
  const { order } = declined
  watch([
    { ...declined, order: { ...order, id: 'other', priceExpiresAt: 1n } },
    stateOf('initiated', 'waiting', { declined: 'late' }, true),
  ])
  await settle()
  expect(noted).toEqual(['broken'])
})

test.each<[string, () => Promise<string | null>, string[]]>([
  ['rejects it', async () => 'the contract rejects it', []],
  ['accepts it', async () => null, ['broken']],
  ['is not known to reject it', () => Promise.reject(new Error('the node does not answer')), []],
])("declining because of the recipient counts by the service's own trial of the payout: it %s", async (_, answer, expected) => {
  trial = answer
  watch([stateOf('initiated', 'waiting', { declined: 'the recipient rejects the payout' })])
  await settle()
  expect(noted).toEqual(expected)
})

test('a funded order is reported once, with its users, assets and amount', async () => {
  stored = funded
  watch([stateOf('waiting', 'waiting')])
  expect(fundings).toEqual([])
  watch([funded])
  watch([funded])
  await pass(PATIENCE_MS)
  watch([funded])
  const { source, destination } = funded.order
  const named = [source.terms.asset, destination.terms.asset, source.userAddress ?? '', destination.userAddress ?? '', source.agreedAmount]
  expect(fundings).toEqual([`solver: ${named.join(' ')}`])
})
