import { expect, test } from 'vitest'
import { leftOf, noCap, noLoad, whyOverCap, withOrder } from './caps.ts'
import { defaultPremiumRules, premiumOf } from './premium.ts'
import { riskSettings } from './settings.ts'

const record = (abandoned = 0, withheld = 0, completed = 0) => ({ abandoned, withheld, completed })
const bips = (count: number) => ({ kind: 'bips', bips: count })
const refused = (why: string) => ({ kind: 'refused', why: expect.stringContaining(why) })

test('orders without a deposit are free for their owner: a stranger may have made them in its name', () => {
  expect(premiumOf(riskSettings().premium, { app: record(10_000, 0, 9_000), owner: record(10_000) }, false)).toEqual(bips(0))
})

const abandonedRules = riskSettings({ premium: { abandoned_bips: 5, refuse_abandoned: 50 } }).premium
test.each([
  { owner: record(10), expected: bips(0) },
  { owner: record(11), expected: bips(5) },
  { owner: record(13, 0, 1), expected: bips(5) },
  { owner: record(59), expected: bips(245) },
  { owner: record(60), expected: refused('left 60 orders without a deposit') },
  { owner: record(60, 0, 25), expected: bips(0) },
  { owner: record(0, 3), expected: bips(0) },
])('where an app knows its owners, an owner with %o', ({ owner, expected }) => {
  expect(premiumOf(abandonedRules, { app: record(), owner }, false)).toEqual(expected)
})

test.each([
  { owner: record(0, 1), app: record(0, 1, 1), expected: bips(50) },
  { owner: record(0, 2), app: record(0, 2, 2), expected: bips(100) },
  { owner: record(0, 3), app: record(0, 3, 3), expected: refused('this owner kept the secret of 3 paid orders') },
  // An attacker with a new owner for each order.
  { owner: record(), app: record(0, 9, 4), expected: bips(50) },
  { owner: record(), app: record(0, 24, 4), expected: refused('owners of this app kept the secret of 24 paid orders') },
])('with a client-held secret, an owner with %o', ({ owner, app, expected }) => {
  expect(premiumOf(defaultPremiumRules, { app, owner }, true)).toEqual(expected)
})

test('an app pays for its share of abandoned orders above 80 %, once there are 50', () => {
  const share = (abandoned: number, completed: number) =>
    premiumOf(defaultPremiumRules, { app: record(abandoned, 0, completed), owner: record() }, false)
  expect(share(49, 0)).toEqual(bips(0))
  expect(share(80, 20)).toEqual(bips(0))
  expect(share(95, 5)).toEqual(bips(15))
  expect(share(1000, 0)).toEqual(bips(20))
})

test('all parts together have a limit', () => {
  const rules = { ...defaultPremiumRules, refuseWithheld: 30 }
  expect(premiumOf(rules, { app: record(), owner: record(0, 20) }, true)).toEqual(bips(500))
})

test('a cap refuses what exceeds it by one, and says what is left', () => {
  const cap = { openOrders: 2, openUsdMicros: 100n, windowUsdMicros: 150n }
  const one = withOrder(noLoad, 60n)
  expect([whyOverCap(cap, one, 40n), leftOf(cap, one)]).toEqual([null, 40n])
  expect(whyOverCap(cap, one, 41n)).toBe('it is worth 41 millionths of a dollar, and 40 are left of the limit')
  expect(leftOf(cap, { ...one, windowUsdMicros: 149n })).toBe(1n)
  expect(leftOf(cap, { ...one, windowUsdMicros: 151n })).toBe(0n)
  expect(whyOverCap(cap, withOrder(one, 1n), 0n)).toBe('2 orders are open, of 2')
  expect([whyOverCap(noCap, withOrder(noLoad, 10n ** 18n), 10n ** 18n), leftOf(noCap, one)]).toEqual([null, null])
})
