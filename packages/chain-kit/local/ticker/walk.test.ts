/** Tests the random walk of prices. */
import { expect, test } from 'vitest'
import { createWalk } from './walk.ts'

const first = new Map([
  ['BTC', 10_000_000_000_000n],
  ['USDC', 100_000_000n],
])

test('a walk moves in small steps, stays near its first price, and is the same for the same seed', () => {
  const [walk, same, other] = [createWalk(first, 7), createWalk(first, 7), createWalk(first, 8)]
  const seen = new Set<bigint>()
  for (let i = 0; i < 5000; i++) {
    const before = walk.price('BTC') ?? 0n
    for (const each of [walk, same, other]) each.step(1)
    const [bitcoin, dollar] = [walk.price('BTC') ?? 0n, walk.price('USDC') ?? 0n]
    const moved = bitcoin - before
    if (moved > 4_000_000_000n || moved < -4_000_000_000n) throw new Error(`a step of ${moved}`)
    if (bitcoin < 9_700_000_000_000n || bitcoin > 10_300_000_000_000n) throw new Error(`the walk left for ${bitcoin}`)
    if (dollar < 99_900_000n || dollar > 100_100_000n) throw new Error(`a dollar of ${dollar}`)
    seen.add(bitcoin)
  }
  expect(seen.size).toBeGreaterThan(1000)
  expect(same.price('BTC')).toBe(walk.price('BTC'))
  expect(other.price('BTC')).not.toBe(walk.price('BTC'))
  expect(walk.price('DOGE')).toBeNull()
})
