/** Tests the fees of first attempts and of replacements. */
import { expect, test } from 'vitest'
import { MAX_PER_UNIT, raiseFees, suggestFees } from './fees.ts'
import { finishCall, noop, unitsOf } from './send/transaction.ts'

const later = { perUnit: 12n, lastLedger: 120n }
const optional = { urgent: false, isObligatory: false }
const obligatory = { urgent: false, isObligatory: true }

test('a replacement pays more than a quarter more, and lives as long as a new transaction', () => {
  // 15 is exactly a quarter more than 12, which nodes refuse.
  expect(raiseFees({ perUnit: 12n, lastLedger: 100n }, later, optional)).toEqual({ perUnit: 16n, lastLedger: 120n })
  expect(raiseFees({ perUnit: 12n, lastLedger: 100n }, later, { ...optional, urgent: true })).toEqual({ perUnit: 24n, lastLedger: 120n })
  expect(raiseFees({ perUnit: 12n, lastLedger: 100n }, { ...later, perUnit: 50n }, optional)?.perUnit).toBe(50n)
})

test('an optional action pays three times the fee at most, an obligatory one up to the cap', () => {
  expect(raiseFees({ perUnit: 30n, lastLedger: 100n }, later, optional)).toBeNull()
  expect(raiseFees({ perUnit: 30n, lastLedger: 100n }, later, obligatory)?.perUnit).toBe(38n)
  expect(raiseFees({ perUnit: MAX_PER_UNIT - 1n, lastLedger: 100n }, later, obligatory)).toBeNull()
  expect(raiseFees({ perUnit: 19_000n, lastLedger: 100n }, later, { urgent: true, isObligatory: true })?.perUnit).toBe(MAX_PER_UNIT)
})

test('a suggested fee is a fifth above the least, never above the cap; near a deadline it is for fewer ledgers', async () => {
  const suggest = (fee: bigint, secondsLeft: bigint | null) => suggestFees({ fee: async () => fee }, 100n, secondsLeft)
  expect(await suggest(10n, null)).toEqual({ perUnit: 12n, lastLedger: 120n })
  expect(await suggest(11n, 1000n)).toEqual({ perUnit: 14n, lastLedger: 120n })
  expect(await suggest(10n ** 9n, 40n)).toEqual({ perUnit: MAX_PER_UNIT, lastLedger: 110n })
  expect(await suggest(10n, 0n)).toEqual({ perUnit: 12n, lastLedger: 104n })
})

test('a finish costs 36 plain transactions, and less than the smallest swap at the cap', () => {
  const finish = finishCall({ owner: 'r', sequence: 7n }, '', '00'.repeat(32))
  expect([unitsOf(noop), unitsOf(finish)]).toEqual([1n, 36n])
  expect(unitsOf(finish) * MAX_PER_UNIT).toBeLessThan(1_000_000n)
})
