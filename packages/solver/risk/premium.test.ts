/** Tests the premium that owners and apps pay for their record. */
import type { CustomerRecord } from '@tandem/party/store/solver/customers.ts'
import { expect, test } from 'vitest'
import { leftOf, noCap, noLoad, whyOverCap, withOrder } from './caps.ts'
import { defaultPremiumRules, heldPercent, premiumOf } from './premium.ts'
import { riskSettings } from './settings.ts'

const DOLLAR = 1_000_000n
type Dollars = { abandoned?: [number, number]; completed?: [number, number]; withheld?: [number, number]; gained?: number }
/** Each pair is a number of orders and their worth in dollars. */
function record({ abandoned = [0, 0], completed = [0, 0], withheld = [0, 0], gained = 0 }: Dollars = {}): CustomerRecord {
  const usd = (dollars: number) => BigInt(dollars) * DOLLAR
  return {
    abandoned: abandoned[0],
    abandonedUsd: usd(abandoned[1]),
    paid: completed[0] + withheld[0],
    paidUsd: usd(completed[1]) + usd(withheld[1]),
    completed: completed[0],
    completedUsd: usd(completed[1]),
    withheld: withheld[0],
    withheldUsd: usd(withheld[1]),
    withheldLately: usd(withheld[1]),
    gainedUsd: usd(gained),
  }
}
const quotesOf = (quotes: number, dollars: number) => ({ quotes, quotedUsd: BigInt(dollars) * DOLLAR })
const bips = (count: number) => ({ kind: 'bips', bips: count })
const refused = (why: string) => ({ kind: 'refused', why: expect.stringContaining(why) })
type Who = { owner?: Dollars; app?: Dollars; quotes?: [number, number] }
const premium = ({ owner, app, quotes = [0, 0] }: Who, clientSecret = false, rules = defaultPremiumRules) =>
  premiumOf(rules, { owner: record(owner), app: record(app), quotes: quotesOf(...quotes) }, clientSecret)

test('a stranger who leaves quotes and orders in the name of an owner or an app costs it nothing, however many', () => {
  const spoiled = { abandoned: [100_000, 10 ** 9] as [number, number] }
  const honest = { completed: [20, 20_000] as [number, number], gained: 19 }
  expect(premium({ owner: spoiled, app: spoiled, quotes: [10 ** 6, 10 ** 10] })).toEqual(bips(0))
  expect(premium({ owner: { ...spoiled, ...honest }, app: { ...spoiled, ...honest }, quotes: [10 ** 6, 10 ** 10] })).toEqual(bips(0))
  expect(premium({ owner: { ...spoiled, ...honest, gained: -500 } })).toEqual(bips(0))
})

test.each<{ name: string; owner: Dollars; expected: unknown }>([
  { name: 'chooses', owner: { abandoned: [5, 3000], completed: [3, 3000], gained: 12 }, expected: bips(30) },
  { name: 'chooses, and gains a fraction', owner: { abandoned: [5, 3000], completed: [3, 3000], gained: 4 }, expected: bips(4) },
  { name: 'funds most of what it orders', owner: { abandoned: [5, 2999], completed: [3, 3000], gained: 12 }, expected: bips(0) },
  { name: 'funded two orders only', owner: { abandoned: [5, 3000], completed: [2, 3000], gained: 12 }, expected: bips(0) },
  { name: 'funded nine', owner: { abandoned: [90, 90_000], completed: [9, 9000], gained: 90 }, expected: bips(90) },
  {
    name: 'does it again and again',
    owner: { abandoned: [40, 40_000], completed: [10, 10_000], gained: 50 },
    expected: refused('only if the price'),
  },
  {
    name: 'left less than four times as much',
    owner: { abandoned: [39, 39_999], completed: [10, 10_000], gained: 50 },
    expected: bips(40),
  },
  { name: 'gained less', owner: { abandoned: [40, 40_000], completed: [10, 10_000], gained: 49 }, expected: bips(39) },
])('an owner that $name', ({ owner, expected }) => {
  expect(premium({ owner })).toEqual(expected)
})

test("an app pays what its users' choice of the moment cost, within a limit; unused quotes count as left", () => {
  const users = { completed: [10, 10_000] as [number, number], gained: 30 }
  expect(premium({ app: users, quotes: [50, 19_999] })).toEqual(bips(0))
  expect(premium({ app: users, quotes: [50, 20_000] })).toEqual(bips(20))
  expect(premium({ app: { ...users, gained: 500 }, quotes: [50, 20_000] })).toEqual(bips(50))
  expect(premium({ app: { ...users, completed: [9, 10_000] }, quotes: [50, 20_000] })).toEqual(bips(0))
  // The app's gain includes the owner's, which counts once.
  const owner = { abandoned: [10, 3000] as [number, number], completed: [3, 3000] as [number, number], gained: 12 }
  expect(premium({ app: users, owner, quotes: [50, 20_000] })).toEqual(bips(30))
})

test('quotes that are hardly ever taken reserve less inventory', () => {
  const percent = (quotes: number, quoted: number, paid: number) => heldPercent(record({ completed: [1, paid] }), quotesOf(quotes, quoted))
  expect([percent(99, 10 ** 9, 0), percent(100, 10 ** 9, 0)]).toEqual([100n, 0n])
  expect([percent(1000, 20_000, 1000), percent(1000, 40_000, 1000)]).toEqual([100n, 50n])
})

const abandonedRules = riskSettings({ premium: { abandoned_bips: 5, refuse_abandoned: 50 } }).premium
test.each<{ owner: Dollars; expected: unknown }>([
  { owner: { abandoned: [10, 0] }, expected: bips(0) },
  { owner: { abandoned: [11, 0] }, expected: bips(5) },
  { owner: { abandoned: [13, 0], completed: [1, 0] }, expected: bips(5) },
  { owner: { abandoned: [59, 0] }, expected: bips(245) },
  { owner: { abandoned: [60, 0] }, expected: refused('left 60 orders without a deposit') },
  { owner: { abandoned: [60, 0], completed: [25, 0] }, expected: bips(0) },
  { owner: { withheld: [3, 0] }, expected: bips(0) },
])('where a service knows its owners, an owner with %o', ({ owner, expected }) => {
  expect(premium({ owner }, false, abandonedRules)).toEqual(expected)
})

test.each<Who & { name: string; expected: unknown }>([
  { name: 'one dollar', owner: { withheld: [1, 1] }, expected: bips(1) },
  { name: 'a thousand times one dollar', owner: { withheld: [1000, 1000] }, expected: bips(50) },
  { name: 'half a unit more', owner: { withheld: [1, 1500] }, expected: bips(75) },
  { name: 'two units', owner: { withheld: [1, 2000] }, expected: bips(100) },
  { name: 'a dollar less than refused', owner: { withheld: [1, 2999] }, expected: bips(200) },
  { name: 'one large one', owner: { withheld: [1, 3000] }, expected: refused('this owner kept the secrets') },
  { name: 'a small part of what it completed', owner: { withheld: [1, 3000], completed: [9, 99_000] }, expected: bips(2) },
  // An attacker uses a new owner for each order.
  { name: 'others of its app: a thousand tiny ones', app: { withheld: [1000, 1000] }, expected: bips(0) },
  { name: 'others of its app: one huge one', app: { withheld: [1, 1_000_000] }, expected: bips(0) },
])('with a client-held secret, an owner that withheld $name', ({ owner = {}, app = {}, expected }) => {
  expect(premium({ owner, app }, true)).toEqual(expected)
  expect(premium({ owner, app }, false)).toEqual(bips(0))
})

test('all parts together have a limit', () => {
  const rules = { ...defaultPremiumRules, refuseWithheld: 30 }
  expect(premium({ owner: { withheld: [20, 20_000] } }, true, rules)).toEqual(bips(500))
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
