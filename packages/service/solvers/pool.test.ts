/** Tests which solvers get quotes and orders, by their record. */
import type { SettledCounts } from '@tandem/party/store/order-list/settled-orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SolverClient } from '../solver-client.ts'
import type { Member } from './member.ts'
import { createSolverPool, type SolverPool } from './pool.ts'

const SECOND = 1_000
let now: number
let logged: string[]
let settled: readonly SettledCounts[] | Error
let reads: number
let pool: SolverPool

beforeEach(() => {
  now = 1
  logged = []
  settled = []
  reads = 0
  const note = (_fields: object, text: string) => void logged.push(text)
  pool = createSolverPool({
    solvers: ['a', 'b', 'c'].map((id) => ({ id }) as SolverClient),
    log: { warn: note, info: note } as never,
    async readSettled() {
      reads += 1
      if (settled instanceof Error) throw settled
      return settled
    },
    nowMs: () => now,
  })
})

const ids = (members: readonly Member[]) => members.map(({ id }) => id).join('')
const asked = () => `${ids(pool.toAsk().waitedFor)}/${ids(pool.toAsk().trials)}`
const times = (count: number, what: () => void) => Array.from({ length: count }, what)

test('a solver that fails again and again is left out, and comes back by itself after a trial that nobody waits for', () => {
  const b = pool.named('b')
  times(3, b.failed)
  expect(asked()).toBe('ac/')
  now += SECOND
  expect(asked()).toBe('ac/b')
  b.asked()
  expect(asked()).toBe('ac/')
  b.answered()
  expect(asked()).toBe('abc/')
  expect(logged).toEqual(['the solver fails: it is not asked for a while', 'the solver works again'])
})

test('answers to quotes do not make up for quotes that it breaks', () => {
  const b = pool.named('b')
  times(3, () => {
    b.answered()
    b.quoteBroken()
  })
  expect(asked()).toBe('ac/')
  now += 5 * SECOND
  expect(asked()).toBe('abc/')
  b.orderOffered()
  b.orderTaken()
  expect(asked()).toBe('abc/')
})

test('a solver that leaves a funded order unpaid gets no order for a while, then one at a time until it pays', () => {
  const b = pool.named('b')
  times(5, b.answered)
  b.orderTaken()
  b.orderUnpaid()
  expect(asked()).toBe('ac/')
  now += 30 * SECOND
  expect(asked()).toBe('abc/')
  b.orderOffered()
  b.orderTaken()
  expect(asked()).toBe('ac/')
  b.orderUnpaid()
  now += 59 * SECOND
  expect(asked()).toBe('ac/')
  now += SECOND
  b.orderOffered()
  b.orderPaid()
  expect(asked()).toBe('abc/')
})

test('an unpaid order costs as much reliability as eight failures', () => {
  pool.named('a').orderUnpaid()
  times(8, pool.named('b').failed)
  expect(pool.reliabilityOf('a')).toBe(pool.reliabilityOf('b'))
})

test('when all fail, they are asked all the same, one that does not pay last of all', () => {
  for (const { failed } of pool.members) times(3, failed)
  pool.named('c').orderUnpaid()
  expect(asked()).toBe('/ab')
  for (const { orderUnpaid } of pool.members) orderUnpaid()
  expect(asked()).toBe('/abc')
})

test('failures cost reliability at once; how orders ended counts after it was read, and stays if it cannot be read again', async () => {
  const before = pool.reliabilityOf('a')
  pool.named('a').failed()
  expect(pool.reliabilityOf('a')).toBeLessThan(before)
  expect(pool.reliabilityOf('b')).toBe(before)
  settled = [{ solverId: 'b', completed: 1_000, refunded: 0 }]
  expect(reads).toBe(1)
  now += 30 * SECOND
  pool.reliabilityOf('b')
  await Promise.resolve()
  expect(reads).toBe(2)
  expect(pool.reliabilityOf('b')).toBeGreaterThan(before)
  settled = new Error('the database is gone')
  now += 30 * SECOND
  pool.reliabilityOf('b')
  await new Promise(setImmediate)
  expect(pool.reliabilityOf('b')).toBeGreaterThan(before)
  expect(logged.at(-1)).toMatch(/cannot be read/)
})

test('an unknown solver_id is refused', () => {
  expect(() => pool.named('nobody')).toThrow(TandemError)
})

describe('refusals that break no quote', () => {
  /** One solver refuses this user, who funds the swap with another. */
  const refusedBy = (solverId: string, user: string) => {
    pool.recordRefusal(user, solverId)
    pool.recordFunded(user, 'a')
  }

  test('count once the same users have funded their swaps with others: if they are the most of its orders, it is left out', () => {
    for (const user of ['x', 'y']) refusedBy('b', user)
    expect(asked()).toBe('abc/')
    refusedBy('b', 'z')
    expect(asked()).toBe('ac/')
    expect(logged).toEqual(['the solver refuses most orders that it quotes for: it is not asked for a while'])
    now += 30 * SECOND
    expect(asked()).toBe('abc/')
    pool.named('b').orderOffered()
    expect(asked()).toBe('ac/')
    pool.recordFunded('another', 'b')
    expect(asked()).toBe('abc/')
    // The exclusion is not for good: the next refusal is one of four again.
    refusedBy('b', 'again')
    expect(asked()).toBe('ac/')
  })

  test('of users who fund nothing count for nothing, however many there are; nor a second time for one swap', () => {
    for (let user = 0; user < 1000; user++) pool.recordRefusal(`stranger ${user}`, 'b')
    refusedBy('b', 'one')
    times(10, () => pool.recordFunded('one', 'a'))
    expect(asked()).toBe('abc/')
    const late = ['late', 'later', 'latest']
    for (const user of late) pool.recordRefusal(user, 'b')
    now += 31 * 60 * SECOND
    for (const user of late) pool.recordFunded(user, 'a')
    expect(asked()).toBe('abc/')
    // The solver took the swap after all.
    for (const user of ['p', 'q', 'r', 's']) {
      pool.recordRefusal(user, 'c')
      pool.recordFunded(user, 'c')
    }
    refusedBy('c', 't')
    expect(asked()).toBe('abc/')
  })

  test('weigh as much as orders that it took for less than its quote, once these are funded', () => {
    for (let user = 0; user < 1000; user++) pool.recordShort(`stranger ${user}`, 'b')
    for (const user of ['x', 'y', 'z']) {
      expect(asked()).toBe('abc/')
      pool.recordShort(user, 'b')
      pool.recordFunded(user, 'b')
    }
    expect(asked()).toBe('ac/')
  })

  test('are allowed as long as it takes as many', () => {
    times(4, () => pool.recordFunded('regular', 'b'))
    for (const user of ['x', 'y', 'z', 'u']) refusedBy('b', user)
    expect(asked()).toBe('abc/')
    refusedBy('b', 'v')
    expect(asked()).toBe('ac/')
  })

  test('of long ago are forgotten: the last sixteen funded orders decide', () => {
    times(100, () => pool.recordFunded('regular', 'b'))
    for (let user = 0; user < 8; user++) refusedBy('b', `user ${user}`)
    expect(asked()).toBe('abc/')
    refusedBy('b', 'one more')
    expect(asked()).toBe('ac/')
  })
})
