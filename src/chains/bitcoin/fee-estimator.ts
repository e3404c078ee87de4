/** The fee rate to pay now: the node's estimate within sane bounds, asked for at most every few seconds. */
import type { BitcoinBackend } from './backend.ts'
import { type FeeRate, NORMAL_TARGET, URGENT_TARGET, wantedRate } from './fees.ts'
import type { BitcoinNetwork } from './networks.ts'

const FRESH_MS = 5_000

export function createFeeEstimator(backend: Pick<BitcoinBackend, 'estimateFeeRate'>, network: BitcoinNetwork) {
  const known = new Map<number, { readonly rate: FeeRate; readonly at: number }>()
  return {
    async feeRate(isUrgent: boolean): Promise<FeeRate> {
      const target = isUrgent ? URGENT_TARGET : NORMAL_TARGET
      let estimate = known.get(target)
      if (estimate === undefined || performance.now() - estimate.at > FRESH_MS) {
        estimate = { rate: (await backend.estimateFeeRate(target)) ?? network.fallbackFeeRate, at: performance.now() }
        known.set(target, estimate)
      }
      return wantedRate(estimate.rate, isUrgent)
    },
  }
}
