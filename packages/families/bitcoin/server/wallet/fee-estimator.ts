/** Gives the fee rate to pay now: the node's estimate within bounds, cached for a few seconds. */
import { max, min } from '@tandem/protocol/bigint.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { boundFeeRate, type FeeRate, MAX_RATE_FACTOR, NORMAL_TARGET, URGENT_TARGET, wantedRate } from '../../terms/wallet/fees.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'

const ESTIMATE_TTL_MS = 5_000
/** A node without an estimate may have one after the next block: the stated and the paid rate must not differ for seconds. */
const UNKNOWN_TTL_MS = 500
/** A tenfold jump within minutes is probably an error. It is followed only after this time, unless it is urgent. */
const JUMP_WINDOW_MS = 5 * 60_000
const MAX_JUMP = 10n
/** The target is in blocks, and is about a day on Bitcoin: a short peak hardly moves this estimate. */
const LONG_TARGET = 144
/** A quote is paid out minutes later. The rate may rise up to this before the recipient gets less than was promised. */
const PROMISE_PERCENT = 150n

/**
 * normal: the transaction is mined within a few blocks.
 * fast: it is mined in the next block, because a fee bump is hardly possible; there is time to wait out a jump.
 * urgent: it is mined in the next block, at any rate within the bounds.
 */
export type Pace = 'normal' | 'fast' | 'urgent'

type Estimate = {
  readonly isKnown: boolean
  readonly rate: FeeRate
  /** The rate is limited to ten times that of the last minutes. */
  readonly steadyRate: FeeRate
  /** The minimum of the mempool is always respected, because nodes refuse less. */
  readonly minimum: FeeRate
  readonly at: number
}

export interface FeeEstimator {
  feeRate(pace: Pace): Promise<FeeRate>
  /** The promise is for the highest pace at which the payout may be sent, with a margin for a rise until then. */
  promisedRate(): Promise<FeeRate>
  /** The default rate without peaks is for transactions that both parties sign in advance and whose fee cannot be bumped. */
  presignedRate(): Promise<FeeRate>
}

export function createFeeEstimator(
  backend: Pick<BitcoinBackend, 'estimateFeeRate' | 'minimumFeeRate'>,
  network: BitcoinNetwork,
  nowMs: () => number = () => performance.now(),
): FeeEstimator {
  const known = new Map<number, readonly Estimate[]>()

  async function estimate(target: number): Promise<Estimate> {
    const at = nowMs()
    const recent = (known.get(target) ?? []).filter((earlier) => at - earlier.at < JUMP_WINDOW_MS)
    const last = recent.at(-1)
    if (last !== undefined && at - last.at <= (last.isKnown ? ESTIMATE_TTL_MS : UNKNOWN_TTL_MS)) return last
    const answer = await backend.estimateFeeRate(target)
    const rate = boundFeeRate(answer ?? network.fallbackFeeRate, network)
    const limit = recent.reduce((lowest, earlier) => min(lowest, earlier.rate), rate) * MAX_JUMP
    const minimum = await backend.minimumFeeRate()
    const asked = { isKnown: answer !== null, rate, steadyRate: min(rate, limit), minimum, at }
    known.set(target, [...recent, asked])
    return asked
  }

  /** If only the rate of the next block is known, it serves for a few blocks too. */
  async function normalEstimate(): Promise<Estimate> {
    const normal = await estimate(NORMAL_TARGET)
    if (normal.isKnown) return normal
    const urgent = await estimate(URGENT_TARGET)
    return urgent.isKnown ? urgent : normal
  }

  async function feeRate(pace: Pace): Promise<FeeRate> {
    const { rate, steadyRate, minimum } = await (pace === 'normal' ? normalEstimate() : estimate(URGENT_TARGET))
    return wantedRate(max(pace === 'urgent' ? rate : steadyRate, minimum), pace !== 'normal', network)
  }

  return {
    feeRate,
    async promisedRate() {
      const highest = max(await feeRate('urgent'), await feeRate('normal'))
      return boundFeeRate((highest * PROMISE_PERCENT) / 100n, network)
    },
    async presignedRate() {
      const isFast = !network.replaces
      const { steadyRate, minimum } = await (isFast ? estimate(URGENT_TARGET) : normalEstimate())
      const longTerm = await estimate(LONG_TARGET)
      const rate = longTerm.isKnown ? min(steadyRate, longTerm.steadyRate * MAX_RATE_FACTOR) : steadyRate
      return wantedRate(max(rate, minimum), isFast, network)
    },
  }
}
