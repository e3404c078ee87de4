/** Tests the fee rates that are offered: bounds, caching, and estimates that jump. */
import { expect, it } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import { createFeeEstimator } from './fee-estimator.ts'

function createFixture(network = regtest) {
  const state = { estimate: 10_000n as bigint | null, longTerm: null as bigint | null, minimum: 0n, now: 0, asked: [] as number[] }
  const backend = {
    async estimateFeeRate(target: number) {
      state.asked.push(target)
      return target > 3 ? state.longTerm : state.estimate
    },
    minimumFeeRate: async () => state.minimum,
  }
  return { state, fees: createFeeEstimator(backend, network, () => state.now) }
}

it('asks for the next block when urgent, and caches the answer', async () => {
  const { state, fees } = createFixture()
  expect(await fees.feeRate('normal')).toBe(10_000n)
  expect(await fees.feeRate('urgent')).toBe(15_000n)
  await fees.feeRate('normal')
  expect(state.asked).toEqual([3, 1])
  state.now += 5_001
  await fees.feeRate('normal')
  expect(state.asked).toEqual([3, 1, 3])
})

it("pays the network's usual rate without an estimate, and never less than the mempool minimum", async () => {
  const { state, fees } = createFixture()
  state.estimate = null
  expect(await fees.feeRate('normal')).toBe(regtest.fallbackFeeRate)
  state.minimum = 30_000n
  state.now += 5_001
  expect(await fees.feeRate('normal')).toBe(30_000n)
  state.estimate = 20_000n
  state.now += 5_001
  expect(await fees.feeRate('normal')).toBe(30_000n)
})

it('asks a node that knows no rate at most twice a second, however often quotes ask for it', async () => {
  const { state, fees } = createFixture()
  state.estimate = null
  for (let quotes = 0; quotes < 100; quotes += 1) await fees.promisedRate()
  expect(state.asked).toEqual([1, 3])
  state.estimate = 2_000n
  state.now += 501
  expect(await fees.feeRate('normal')).toBe(2_000n)
})

it('stays within the bounds of the network for any estimate', async () => {
  const { state, fees } = createFixture()
  state.estimate = 1n
  expect(await fees.feeRate('normal')).toBe(regtest.minFeeRate)
  state.estimate = 10n ** 12n
  expect(await fees.feeRate('urgent')).toBe(regtest.maxFeeRate)
})

it('does not follow a jump for minutes, unless urgent', async () => {
  const { state, fees } = createFixture()
  await fees.feeRate('normal')
  expect(await fees.feeRate('fast')).toBe(15_000n)
  state.estimate = 400_000n
  state.now += 60_000
  expect(await fees.feeRate('normal')).toBe(100_000n)
  expect(await fees.feeRate('urgent')).toBe(600_000n)
  // A pace that is fast but not urgent does not follow the jump either.
  expect(await fees.feeRate('fast')).toBe(150_000n)
  state.now += 200_000
  expect(await fees.feeRate('normal')).toBe(100_000n)
  state.now += 60_000
  expect(await fees.feeRate('normal')).toBe(400_000n)
})

it('agrees in advance to the current rate, but at most three times the rate of a longer time', async () => {
  const { state, fees } = createFixture()
  expect(await fees.presignedRate()).toBe(10_000n)
  state.now += 5_001
  state.longTerm = 3_000n
  expect(await fees.presignedRate()).toBe(9_000n)
  state.longTerm = 4_000n
  expect(await fees.presignedRate()).toBe(9_000n)
  state.now += 5_001
  expect(await fees.presignedRate()).toBe(10_000n)
  // Below the mempool minimum the node refuses, so agreeing to less is useless.
  state.now += 5_001
  state.longTerm = 1_000n
  state.minimum = 8_000n
  expect(await fees.presignedRate()).toBe(8_000n)
})

it('agrees in advance to the rate of the broadcast where a fee bump is hardly possible', async () => {
  const { fees } = createFixture({ ...regtest, replaces: false })
  expect(await fees.presignedRate()).toBe(await fees.feeRate('fast'))
  expect(await fees.presignedRate()).toBe(15_000n)
})

it('promises no payout a lower fee than that at any pace, with a margin', async () => {
  const { state, fees } = createFixture()
  expect(await fees.promisedRate()).toBe(22_500n)
  for (const pace of ['normal', 'fast', 'urgent'] as const) expect(await fees.promisedRate()).toBeGreaterThan(await fees.feeRate(pace))
  state.estimate = 10n ** 12n
  state.now += 5_001
  expect(await fees.promisedRate()).toBe(regtest.maxFeeRate)
})

it('asks again soon while no estimate is known, and takes the rate of the next block where only that is known', async () => {
  const { state, fees } = createFixture()
  state.estimate = null
  expect(await fees.feeRate('normal')).toBe(regtest.fallbackFeeRate)
  state.estimate = 1_000n
  state.now += 501
  expect(await fees.feeRate('normal')).toBe(1_000n)
  const onlyNext = createFeeEstimator(
    { estimateFeeRate: async (target) => (target === 1 ? 1_000n : null), minimumFeeRate: async () => 0n },
    regtest,
    () => 0,
  )
  expect(await onlyNext.feeRate('normal')).toBe(1_000n)
})
