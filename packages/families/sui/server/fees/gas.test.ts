/** Tests the gas price and the budget of an attempt. */
import { expect, test } from 'vitest'
import { budgetOf, gasPrice, needOf } from './gas.ts'

test('the price is doubled with each earlier attempt, up to eight times and to the cap', () => {
  const prices = (reference: bigint) => [0, 1, 2, 3, 9].map((earlier) => gasPrice({ gasPrice: reference }, earlier))
  expect(prices(1_000n)).toEqual([1_000n, 2_000n, 4_000n, 8_000n, 8_000n])
  expect(prices(50_000n)).toEqual([50_000n, 100_000n, 100_000n, 100_000n, 100_000n])
  expect(() => gasPrice({ gasPrice: 100_001n }, 0)).toThrow(expect.objectContaining({ kind: 'uneconomic' }))
})

test('the budget is half more than simulated, at the price that is offered, and has a cap', () => {
  const need = needOf({ computation: 1_000_500n, storage: 2_000_000n }, 1_000n)
  // 1,000.5 units are rounded up.
  expect(need).toEqual({ units: 1_502n, storage: 3_000_001n })
  expect(budgetOf(need, 2_000n)).toBe(6_004_001n)
  expect(() => budgetOf({ units: 1n, storage: 500_000_000n }, 1n)).toThrow(expect.objectContaining({ kind: 'uneconomic' }))
})
