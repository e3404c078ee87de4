import { expect, it } from 'vitest'
import { regtest } from './bitcoin-fixture.ts'
import { createFeeEstimator } from './fee-estimator.ts'

function stage() {
  const state = { estimate: 10_000n as bigint | null, minimum: 0n, now: 0, asked: [] as number[] }
  const backend = {
    async estimateFeeRate(target: number) {
      state.asked.push(target)
      return state.estimate
    },
    minimumFeeRate: async () => state.minimum,
  }
  return { state, fees: createFeeEstimator(backend, regtest, () => state.now) }
}

it('asks for the next block in a hurry, and not at every call', async () => {
  const { state, fees } = stage()
  expect(await fees.feeRate(false)).toBe(10_000n)
  expect(await fees.feeRate(true)).toBe(15_000n)
  await fees.feeRate(false)
  expect(state.asked).toEqual([3, 1])
  state.now += 5_001
  await fees.feeRate(false)
  expect(state.asked).toEqual([3, 1, 3])
})

it("pays the network's usual rate without an estimate, and never less than the node takes", async () => {
  const { state, fees } = stage()
  state.estimate = null
  expect(await fees.feeRate(false)).toBe(regtest.fallbackFeeRate)
  state.minimum = 30_000n
  state.now += 5_001
  expect(await fees.feeRate(false)).toBe(30_000n)
  state.estimate = 20_000n
  state.now += 5_001
  expect(await fees.feeRate(false)).toBe(30_000n)
})

it('stays within the bounds of the network whatever the node says', async () => {
  const { state, fees } = stage()
  state.estimate = 1n
  expect(await fees.feeRate(false)).toBe(regtest.minFeeRate)
  state.estimate = 10n ** 12n
  expect(await fees.feeRate(true)).toBe(regtest.maxFeeRate)
})

it('does not follow a jump for minutes, unless there is a hurry', async () => {
  const { state, fees } = stage()
  await fees.feeRate(false)
  state.estimate = 400_000n
  state.now += 60_000
  expect(await fees.feeRate(false)).toBe(100_000n)
  expect(await fees.feeRate(true)).toBe(600_000n)
  state.now += 200_000
  expect(await fees.feeRate(false)).toBe(100_000n)
  state.now += 60_000
  expect(await fees.feeRate(false)).toBe(400_000n)
})
