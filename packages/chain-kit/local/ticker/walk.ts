/** Moves prices at random around a first price, in small steps and within bounds. The same seed gives the same walk. */

export interface Walk {
  /** The price is in US dollars times 10^8. */
  price(market: string): bigint | null
  step(steps: number): void
}

/** One step is at most this much. The walk stays within `REACH` of its first price. */
const STEP = { coin: 4n, dollar: 1n }
const REACH = { coin: 300n, dollar: 10n }
const DOLLAR = 100_000_000n
const BIPS = 10_000n
/** After a long idle time not every step needs to be made. */
const MAX_STEPS = 600

export function createWalk(first: ReadonlyMap<string, bigint>, seed: number): Walk {
  const random = createRandom(seed)
  const prices = new Map(first)

  function next(market: string, base: bigint): bigint {
    const kind = base === DOLLAR ? 'dollar' : 'coin'
    const now = prices.get(market) ?? base
    // The move is one of -STEP … +STEP, in hundredths of a bip.
    const move = BigInt(random(Number(STEP[kind]) * 200 + 1)) - STEP[kind] * 100n
    const moved = now + (base * move) / (BIPS * 100n)
    const [low, high] = [base - (base * REACH[kind]) / BIPS, base + (base * REACH[kind]) / BIPS]
    return moved < low ? low : moved > high ? high : moved
  }

  return {
    price: (market) => prices.get(market) ?? null,
    step(steps) {
      for (let i = 0; i < Math.min(steps, MAX_STEPS); i++) for (const [market, base] of first) prices.set(market, next(market, base))
    },
  }
}

/** Marsaglia's xorshift gives numbers from 0 to `below` - 1. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}
