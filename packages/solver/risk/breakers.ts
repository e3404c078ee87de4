/** Implements the circuit breakers of chains: conditions under which the solver pays for nothing new while they hold. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** There are too few coins for network fees. Admitted orders have theirs, so this halts only new ones. */
export const FEE_FUNDS = 'fee funds'

export type Trip = { readonly scope: string; readonly cause: 'stuck head' | 'fee spike' | typeof FEE_FUNDS; readonly reason: string }

/** `times` are those of the newest recorded blocks. A chain without one is not judged. */
export function stuckHeads(chains: readonly Chain[], times: ReadonlyMap<ChainId, bigint>, now: bigint): readonly Trip[] {
  return chains.flatMap(({ id, haltSeconds }) => {
    const time = times.get(id)
    if (time === undefined || now - time <= haltSeconds) return []
    return [{ scope: id, cause: 'stuck head', reason: `its newest block is ${now - time} s old, more than ${haltSeconds} s` } as const]
  })
}

/** Confirmations do not protect deposits from a reorg that is deeper than them, and deeper than is usual on the chain. */
export function isDeepReorg({ requiredConfirmations, usualReorgBlocks = 0 }: Chain, blocks: bigint): boolean {
  return blocks > BigInt(Math.max(requiredConfirmations, usualReorgBlocks))
}

export interface FeeWatch {
  /** Records the cost of a lock on this chain, in its native coin. A cost below `minCost` counts as `minCost`. */
  note(chain: ChainId, cost: bigint, minCost?: bigint): void
  trips(): readonly Trip[]
}

/** Ten US cents: far below what a swap earns. */
const NEGLIGIBLE_USD_MICROS = 100_000n

/** A lock of this cost, in the chain's native coin, is always acceptable. It is rounded down, so that the breaker trips earlier. */
export function negligibleCost(price: UsdPrice | null, decimals: number): bigint {
  return price === null || price === 0n ? 0n : (NEGLIGIBLE_USD_MICROS * 100n * 10n ** BigInt(decimals)) / price
}

/** The usual cost is the median of these samples. They are at least ten seconds apart, so they cover about an hour of quotes. */
const MAX_SAMPLES = 360
/** Fewer samples say nothing about the usual cost. */
const MIN_SAMPLES = 10
/** The breaker closes below half of the factor, so that it does not flicker. */
const CLOSE_DIVISOR = 2n

/** Trips when the cost reaches `factor` times the median of the last samples. A lasting level becomes the usual one. */
export function createFeeWatch(factor: bigint): FeeWatch {
  const known = new Map<ChainId, { readonly samples: bigint[]; latest: bigint; tripped: boolean }>()

  const median = (samples: readonly bigint[]): bigint =>
    [...samples].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(samples.length / 2)] ?? 0n

  return {
    note(chain, given, minCost = 0n) {
      const cost = given > minCost ? given : minCost
      const fees = known.get(chain) ?? { samples: [], latest: 0n, tripped: false }
      known.set(chain, fees)
      const usual = median(fees.samples)
      fees.latest = cost
      fees.tripped =
        fees.samples.length >= MIN_SAMPLES && usual > 0n && (fees.tripped ? cost * CLOSE_DIVISOR >= usual * factor : cost >= usual * factor)
      fees.samples.push(cost)
      if (fees.samples.length > MAX_SAMPLES) fees.samples.shift()
    },
    trips: () =>
      [...known].flatMap(([scope, { samples, latest, tripped }]) =>
        tripped
          ? [
              {
                scope,
                cause: 'fee spike',
                reason: `a lock costs ${latest}, the usual cost is ${median(samples)}: ${factor} times`,
              } as const,
            ]
          : [],
      ),
  }
}
