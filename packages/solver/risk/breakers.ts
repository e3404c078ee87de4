/** The circuit breakers of chains: conditions under which nothing new is paid for. Each ends by itself when its condition does. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** Too few coins for network fees. Orders that were admitted have theirs: it concerns new ones only. */
export const FEE_FUNDS = 'fee funds'

/** A condition that holds now. */
export type Trip = { readonly scope: string; readonly cause: 'stuck head' | 'fee spike' | typeof FEE_FUNDS; readonly reason: string }

/** Chains whose newest block is older than their registry allows. `times`: of the newest recorded blocks; a chain that was never read is not judged. */
export function stuckHeads(chains: readonly Chain[], times: ReadonlyMap<ChainId, bigint>, now: bigint): readonly Trip[] {
  return chains.flatMap(({ id, haltSeconds }) => {
    const time = times.get(id)
    if (time === undefined || now - time <= haltSeconds) return []
    return [{ scope: id, cause: 'stuck head', reason: `its newest block is ${now - time} s old, more than ${haltSeconds} s` } as const]
  })
}

/** A reorg of more blocks than a deposit waits for, and than is usual on the chain: what waits for deposits on it cannot be right. */
export function isDeepReorg({ requiredConfirmations, usualReorgBlocks = 0 }: Chain, blocks: bigint): boolean {
  return blocks > BigInt(Math.max(requiredConfirmations, usualReorgBlocks))
}

export interface FeeWatch {
  /** Notes the cost of a lock on this chain, in its native coin. `least`: a lower cost counts as this much. */
  note(chain: ChainId, cost: bigint, least?: bigint): void
  trips(): readonly Trip[]
}

/** Ten US cents: far below what a swap earns. */
const NEGLIGIBLE_USD_MICROS = 100_000n

/** What a lock may cost at any time, in the chain's native coin. `price`: of this coin; null: unknown. Rounded down: it trips sooner. */
export function negligibleCost(price: UsdPrice | null, decimals: number): bigint {
  return price === null || price === 0n ? 0n : (NEGLIGIBLE_USD_MICROS * 100n * 10n ** BigInt(decimals)) / price
}

/** So many samples are the usual cost. While there are quotes, each takes at least ten seconds: about an hour. */
const SAMPLES = 360
/** Fewer say nothing about the usual cost. */
const LEAST_SAMPLES = 10
/** It ends below half of the factor, so that it does not flicker. */
const END_PART = 2n

/** Trips while the cost is `factor` times the median of the last samples. A level that stays becomes the usual one. */
export function createFeeWatch(factor: bigint): FeeWatch {
  const known = new Map<ChainId, { readonly samples: bigint[]; latest: bigint; tripped: boolean }>()

  const median = (samples: readonly bigint[]): bigint =>
    [...samples].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(samples.length / 2)] ?? 0n

  return {
    note(chain, given, least = 0n) {
      const cost = given > least ? given : least
      const fees = known.get(chain) ?? { samples: [], latest: 0n, tripped: false }
      known.set(chain, fees)
      const usual = median(fees.samples)
      fees.latest = cost
      fees.tripped =
        fees.samples.length >= LEAST_SAMPLES && usual > 0n && (fees.tripped ? cost * END_PART >= usual * factor : cost >= usual * factor)
      fees.samples.push(cost)
      if (fees.samples.length > SAMPLES) fees.samples.shift()
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
