/** Tests for how long facts are fresh enough to sign. */
import { localChains } from '@tandem/families/registry.ts'
import { expect, test } from 'vitest'
import { type FactsAge, goodForMs, oldestOf } from './fresh-facts.ts'

const [any] = localChains
if (any === undefined) throw new Error('there is no chain')
const chainWith = (seconds: bigint) => ({ ...any, margins: { claimSeconds: seconds, reorgSeconds: 0n, feeSpikeSeconds: 0n } })

test.each([
  { tookMs: 0, margins: [600n, 600n], ms: 2_000 },
  { tookMs: 3_000, margins: [600n, 600n], ms: 12_000 },
  { tookMs: 60_000, margins: [600n, 600n], ms: 30_000 },
  // The facts are good for half of the shorter margin.
  { tookMs: 60_000, margins: [600n, 20n], ms: 10_000 },
  { tookMs: 60_000, margins: [2n, 600n], ms: 1_000 },
])('facts that took $tookMs ms are good for $ms ms, with margins of $margins s', ({ tookMs, margins, ms }) => {
  expect(goodForMs(tookMs, margins.map(chainWith))).toBe(ms)
})

test('the facts that expire first decide', () => {
  const ages: readonly FactsAge[] = [
    { asOfMs: 5, goodForMs: 10 },
    { asOfMs: 9, goodForMs: 2 },
    { asOfMs: 1, goodForMs: 20 },
  ]
  expect(oldestOf(ages)).toBe(ages[1])
})
