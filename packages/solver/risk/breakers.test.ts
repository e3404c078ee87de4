/** Tests which conditions of a chain halt a solver. */
import { localChains } from '@tandem/families/registry.ts'
import { describe, expect, test } from 'vitest'
import { createFeeWatch, isDeepReorg, negligibleCost, stuckHeads } from './breakers.ts'

const [chain] = localChains
if (chain === undefined) throw new Error('there is no local chain')

test('a chain is stuck once its newest block is older than the registry allows; a chain that was never read is not judged', () => {
  const at = (age: bigint) => stuckHeads([chain], new Map([[chain.id, 10_000n - age]]), 10_000n)
  expect(at(chain.haltSeconds)).toEqual([])
  expect(at(chain.haltSeconds + 1n)).toEqual([
    { scope: chain.id, cause: 'stuck head', reason: 'its newest block is 601 s old, more than 600 s' },
  ])
  expect(stuckHeads([chain], new Map(), 10_000n)).toEqual([])
})

test('a reorg is deep if it removes more blocks than a deposit waits for, and than is usual on the chain', () => {
  const { usualReorgBlocks: _, ...strict } = chain
  expect([2n, 3n].map((blocks) => isDeepReorg({ ...strict, requiredConfirmations: 2 }, blocks))).toEqual([false, true])
  expect([3n, 4n].map((blocks) => isDeepReorg({ ...strict, requiredConfirmations: 2, usualReorgBlocks: 3 }, blocks))).toEqual([false, true])
})

describe('a fee watch of factor 10', () => {
  const watchAfter = (...costs: readonly bigint[]) => {
    const watch = createFeeWatch(10n)
    for (const cost of costs) watch.note('a', cost)
    return watch
  }
  const usual = Array.from({ length: 20 }, (_, n) => 90n + BigInt(n))

  test('trips at ten times the usual cost, and ends below five times', () => {
    expect(watchAfter(...usual, 990n).trips()).toEqual([])
    expect(watchAfter(...usual, 1000n).trips()).toEqual([
      { scope: 'a', cause: 'fee spike', reason: 'a lock costs 1000, the usual cost is 100: 10 times' },
    ])
    expect(watchAfter(...usual, 1000n, 501n).trips()).toHaveLength(1)
    expect(watchAfter(...usual, 1000n, 499n).trips()).toEqual([])
    expect(watchAfter(...usual, 501n).trips()).toEqual([])
  })

  test('knows no usual cost before ten samples, and takes a level that stays as the usual one', () => {
    expect(watchAfter(1n, 1n, 1n, 1000n).trips()).toEqual([])
    expect(watchAfter(...usual, ...Array.from({ length: 60 }, () => 5000n)).trips()).toEqual([])
    // The samples cover an hour: earlier costs do not count any more, and current ones do.
    const hours = (first: bigint, then: bigint) => [first, then].flatMap((cost) => Array.from({ length: 360 }, () => cost))
    expect(watchAfter(...hours(5000n, 100n), 1000n).trips()).toHaveLength(1)
    expect(watchAfter(...Array.from({ length: 1000 }, () => 1000n), ...hours(100n, 100n).slice(0, 200), 1000n).trips()).toHaveLength(1)
  })

  test('trips only at ten times a cost that matters: a stranger can raise a tiny fee a hundredfold for a few cents', () => {
    const minCost = negligibleCost(2_000n * 10n ** 8n, 18)
    expect(minCost).toBe(50_000_000_000_000n)
    const tripsAt = (cost: bigint) => {
      const watch = createFeeWatch(10n)
      for (const one of [...usual, cost]) watch.note('a', one, minCost)
      return watch.trips().length
    }
    expect([tripsAt(minCost * 10n - 1n), tripsAt(minCost * 10n)]).toEqual([0, 1])
    expect(negligibleCost(null, 18)).toBe(0n)
  })

  test('judges each chain by itself', () => {
    const watch = watchAfter(...usual)
    for (const cost of [...usual.map(() => 1n), 100n]) watch.note('b', cost)
    expect(watch.trips().map(({ scope }) => scope)).toEqual(['b'])
  })
})
