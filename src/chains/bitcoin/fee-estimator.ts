/** The fee rate to pay now: the node's estimate within sane bounds, asked for at most every few seconds. */
import type { BitcoinBackend } from './backend.ts'
import { boundFeeRate, type FeeRate, NORMAL_TARGET, URGENT_TARGET, wantedRate } from './fees.ts'
import type { BitcoinNetwork } from './networks.ts'

const FRESH_MS = 5_000
/** A market does not grow tenfold within minutes, an error does: whoever has time waits until it has lasted this long. */
const JUMP_WINDOW_MS = 5 * 60_000
const MAX_JUMP = 10n

type Estimate = { readonly rate: FeeRate; readonly at: number }

export interface FeeEstimator {
  feeRate(isUrgent: boolean): Promise<FeeRate>
}

export function createFeeEstimator(
  backend: Pick<BitcoinBackend, 'estimateFeeRate' | 'minimumFeeRate'>,
  network: BitcoinNetwork,
  nowMs: () => number = () => performance.now(),
): FeeEstimator {
  const known = new Map<number, Estimate>()
  /** Of the last minutes, oldest first; of what is not urgent only. */
  let recent: readonly Estimate[] = []

  /** What the node does not take is no market price: its minimum holds however sudden it came. */
  async function ask(target: number): Promise<Estimate> {
    const at = nowMs()
    const estimate = boundFeeRate((await backend.estimateFeeRate(target)) ?? network.fallbackFeeRate, network)
    const rate = target === URGENT_TARGET ? estimate : withoutJump({ rate: estimate, at })
    const minimum = await backend.minimumFeeRate()
    return { rate: rate > minimum ? rate : minimum, at }
  }

  function withoutJump(estimate: Estimate): FeeRate {
    recent = [...recent.filter(({ at }) => estimate.at - at < JUMP_WINDOW_MS), estimate]
    const limit = recent.reduce((lowest, { rate }) => (rate < lowest ? rate : lowest), estimate.rate) * MAX_JUMP
    return estimate.rate < limit ? estimate.rate : limit
  }

  return {
    async feeRate(isUrgent) {
      const target = isUrgent ? URGENT_TARGET : NORMAL_TARGET
      let estimate = known.get(target)
      if (estimate === undefined || nowMs() - estimate.at > FRESH_MS) {
        estimate = await ask(target)
        known.set(target, estimate)
      }
      return wantedRate(estimate.rate, isUrgent, network)
    },
  }
}
