import { beforeEach, expect, test } from 'vitest'
import {
  createSoftReservations,
  holdersOfOrder,
  holdersOfQuote,
  ownOfOrder,
  ownOfQuote,
  promisedTo,
  type SoftReservations,
} from './soft-reservations.ts'

let now: bigint
let soft: SoftReservations
beforeEach(() => {
  now = 1000n
  soft = createSoftReservations(() => now)
})
const hold = (key: string, holder: string, amount: bigint, expiresAt = 1060n) =>
  soft.hold({ key, holders: [holder], asset: 'a:btc', amount, expiresAt })
const held = (holder: string, free = 1000n) => soft.heldByOthers('a:btc', [holder], free)

test('counts for others until it expires, and not for its holder', () => {
  hold('1', 'alice', 10n)
  hold('2', 'bob', 20n, 1100n)
  expect([held('alice'), held('bob'), held('carol'), soft.heldByOthers('a:eth', ['carol'], 1000n)]).toEqual([20n, 10n, 30n, 0n])
  now = 1060n
  expect(held('carol')).toBe(30n)
  now = 1061n
  expect(held('carol')).toBe(20n)
  now = 1101n
  expect(held('carol')).toBe(0n)
})

test('the same key replaces the earlier one', () => {
  hold('1', 'alice', 10n)
  hold('1', 'alice', 15n)
  expect(held('bob')).toBe(15n)
})

test('never takes more than half of what is free', () => {
  for (let n = 0; n < 100; n += 1) hold(`${n}`, `stranger ${n}`, 100n)
  expect([held('bob', 1000n), held('bob', 1n), held('bob', 0n)]).toEqual([500n, 0n, 0n])
})

test('remembers a bounded number: the oldest go first', () => {
  hold('first', 'alice', 1_000_000n)
  for (let n = 0; n < 10_000; n += 1) hold(`${n}`, 'bob', 1n)
  expect(held('bob', 10n ** 9n)).toBe(0n)
  expect(held('alice', 10n ** 9n)).toBe(10_000n)
})

test("a user's own quote and order are no obstacle, another user's order is", () => {
  const [alice, bob, elsewhere] = [
    { app: 'one', owner: 'alice' },
    { app: 'one', owner: 'bob' },
    { app: 'two', owner: 'alice' },
  ]
  soft.hold({ key: 'quote', holders: holdersOfQuote(alice), asset: 'a:btc', amount: 1n, expiresAt: 1060n })
  soft.hold({ key: 'order', holders: holdersOfOrder(alice), asset: 'a:btc', amount: 10n, expiresAt: 1060n })
  const order = (who: typeof alice) => soft.heldByOthers('a:btc', ownOfOrder(who), 1000n)
  const quote = (who: typeof alice) => soft.heldByOthers('a:btc', ownOfQuote(who), 1000n)
  expect([order(alice), order(bob), order(elsewhere)]).toEqual([0n, 10n, 11n])
  expect([quote(alice), quote(bob), quote(elsewhere)]).toEqual([0n, 0n, 11n])
})

test('orders without an owner have none in common; what is firm is not held any more', () => {
  const nobody = { app: 'one', owner: null }
  for (const key of ['1', '2']) soft.hold({ key, holders: holdersOfOrder(nobody), asset: 'a:btc', amount: 10n, expiresAt: 1060n })
  expect(soft.heldByOthers('a:btc', ownOfOrder(nobody), 1000n)).toBe(20n)
  expect(promisedTo(soft, 'a:btc', nobody)).toBe(0n)
  const alice = { app: 'one', owner: 'alice' }
  soft.hold({ key: '3', holders: holdersOfOrder(alice), asset: 'a:btc', amount: 5n, expiresAt: 1060n })
  expect([promisedTo(soft, 'a:btc', alice), promisedTo(soft, 'a:eth', alice)]).toEqual([5n, 0n])
  for (const key of ['3', '3', 'none']) soft.release(key)
  expect([promisedTo(soft, 'a:btc', alice), held('carol')]).toEqual([0n, 20n])
})
