/** These tests show which deposits count within the tolerance, and once the parties have agreed on them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Counting, MAX_COUNTED, pickCounted } from './counting.ts'
import { isWithinTolerance, scaledAmount } from './fill.ts'
import type { Deposit } from './swap-state.ts'

const AMOUNT = 100_000n
const deposit = (id: string, amount: bigint, confirmations = 3n): Deposit => ({
  id,
  amount,
  tx: id,
  block: confirmations === 0n ? null : { height: 1n, hash: 'hash', time: 1n },
  confirmations,
  unitsLeft: 1n,
  spend: null,
  writtenOff: false,
})
const idsOf = (deposits: readonly Deposit[], counting: Counting = { kind: 'tolerant', toleranceBips: 300 }) =>
  pickCounted(deposits, AMOUNT, { counting, requiredConfirmations: 3 }).map(({ id }) => id)

describe('deposits within the tolerance', () => {
  it.each<readonly [string, readonly Deposit[], readonly string[]]>([
    ['no deposit', [], []],
    ['the exact amount', [deposit('a', 100_000n)], ['a']],
    ['3 % too little', [deposit('a', 97_000n)], ['a']],
    ['3 % too much', [deposit('a', 103_000n)], ['a']],
    ['a little more than 3 % too little', [deposit('a', 96_999n)], []],
    ['a little more than 3 % too much', [deposit('a', 103_001n)], []],
    ['two that add up to the amount', [deposit('a', 40_000n), deposit('b', 60_000n)], ['a', 'b']],
    ['two that nearly add up to it', [deposit('a', 40_000n), deposit('b', 58_000n)], ['a', 'b']],
    ['five', ['a', 'b', 'c', 'd', 'e'].map((id) => deposit(id, 20_000n)), ['a', 'b', 'c', 'd', 'e']],
    ['six are too many', ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => deposit(id, 16_667n)), []],
    ['a single one that is nearer than the sum', [deposit('a', 98_000n), deposit('b', 100_000n)], ['b']],
    ['the first of two that are equally near', [deposit('a', 99_000n), deposit('b', 101_000n)], ['a']],
    ["a stranger's dust before it", [deposit('dust', 600n), deposit('a', 100_000n)], ['a']],
    ["a stranger's dust before parts of it", [deposit('dust', 600n), deposit('a', 50_000n), deposit('b', 50_000n)], ['a', 'b']],
    ['a deposit as small as the tolerance does not count', [deposit('a', 97_500n), deposit('b', 3_000n)], ['a']],
    ['a deposit a little larger counts', [deposit('a', 96_900n), deposit('b', 3_001n)], ['a', 'b']],
    [
      'a confirmed deposit before a nearer unconfirmed one',
      [deposit('a', 98_000n), deposit('b', 2_000n, 1n), deposit('c', 100_000n, 0n)],
      ['a'],
    ],
    ['an unconfirmed deposit if none is confirmed', [deposit('a', 98_000n, 2n), deposit('b', 100_000n, 0n)], ['b']],
    ['far too much', [deposit('a', 500_000n)], []],
    ['a deposit of zero', [deposit('a', 0n), deposit('b', 100_000n)], ['b']],
  ])('%s', (_, deposits, expected) => {
    expect(idsOf(deposits)).toEqual(expected)
  })

  it('sum up within the tolerance and are at most MAX_COUNTED, for any deposits', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 150_000n }), fc.bigInt({ min: 0n, max: 4n })), { maxLength: 8 }), (given) => {
        const deposits = given.map(([amount, confirmations], index) => deposit(`${index}`, amount, confirmations))
        const counted = pickCounted(deposits, AMOUNT, { counting: { kind: 'tolerant', toleranceBips: 300 }, requiredConfirmations: 3 })
        const sum = counted.reduce((total, { amount }) => total + amount, 0n)
        expect(counted.length).toBeLessThanOrEqual(MAX_COUNTED)
        if (counted.length > 0) expect(isWithinTolerance(sum, AMOUNT, 300)).toBe(true)
        expect(counted.every((one) => deposits.includes(one))).toBe(true)
      }),
    )
  })
})

describe('agreed deposits', () => {
  const agreed: Counting = { kind: 'agreed', deposits: ['b', 'c'] }

  it('count regardless of other deposits and of their sum', () => {
    expect(idsOf([deposit('a', 100_000n), deposit('b', 1n), deposit('c', 2n)], agreed)).toEqual(['b', 'c'])
  })

  it('still count when one of them disappears', () => {
    expect(idsOf([deposit('a', 100_000n), deposit('c', 2n)], agreed)).toEqual(['c'])
  })
})

describe('the destination amount', () => {
  const source = { asset: 'a:b', initiator: '', redeemer: '', amount: AMOUNT, secretHash: '', timelock: 1n } as const

  it.each([
    [100_000n, 777_777n],
    [97_000n, 754_443n],
    [103_000n, 801_110n],
    [99_999n, 777_769n],
  ])('for %s deposited is in proportion, rounded down', (deposited, paid) => {
    expect(scaledAmount(777_777n, source, deposited)).toBe(paid)
  })
})
