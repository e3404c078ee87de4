/** Reads the operator's caps and premiums from the configuration. */
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { parseUsdMicros } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Cap, Caps } from './caps.ts'
import { defaultPremiumRules, type PremiumRules } from './premium.ts'

export type RiskSettings = {
  readonly windowSeconds: bigint
  readonly caps: Caps
  readonly premium: PremiumRules
  readonly feeSpikeFactor: bigint
  readonly feePeakFactor: bigint
  /** The amount waiting for client-held secrets at which the next one costs the most, in millionths of a dollar. */
  readonly unrevealedCap: bigint
  readonly unfinalCap: (chain: Chain) => bigint | null
}

type RiskConfig = NonNullable<SolverConfig['risk']>
type CapConfig = NonNullable<NonNullable<RiskConfig['caps']>['pair']>

const DAY = 86_400
const USD_MICROS = 1_000_000n
const DEFAULT_UNREVEALED_CAP = 50_000n * USD_MICROS
const FEE_SPIKE_FACTOR = 10
/** A node accepts a transaction only if the account could pay twice the current fee, and fees may double again until it is mined. */
const FEE_PEAK_FACTOR = 4

export function riskSettings({
  window_seconds,
  caps,
  premium = {},
  fee_spike_factor,
  fee_peak_factor,
  unfinal_usd,
  unrevealed_usd,
}: RiskConfig = {}): RiskSettings {
  const { freeAbandoned, abandonedBips, refuseAbandoned, withheldBips, refuseWithheld, maxBips } = defaultPremiumRules
  const { freeGainBips, refuseGainBips, withheldUnit } = defaultPremiumRules
  return {
    windowSeconds: BigInt(window_seconds ?? DAY),
    caps: { pair: capOf(caps?.pair), app: capOf(caps?.app), owner: capOf(caps?.owner) },
    premium: {
      freeGainBips: premium.free_gain_bips ?? freeGainBips,
      refuseGainBips: premium.refuse_gain_bips ?? refuseGainBips,
      freeAbandoned: premium.free_abandoned ?? freeAbandoned,
      abandonedBips: premium.abandoned_bips ?? abandonedBips,
      refuseAbandoned: premium.refuse_abandoned ?? refuseAbandoned,
      withheldBips: premium.withheld_bips ?? withheldBips,
      withheldUnit: premium.withheld_unit_usd === undefined ? withheldUnit : atLeastOne(parseUsdMicros(premium.withheld_unit_usd)),
      refuseWithheld: premium.refuse_withheld ?? refuseWithheld,
      maxBips: premium.max_bips ?? maxBips,
    },
    feeSpikeFactor: BigInt(fee_spike_factor ?? FEE_SPIKE_FACTOR),
    feePeakFactor: BigInt(fee_peak_factor ?? FEE_PEAK_FACTOR),
    unrevealedCap: unrevealed_usd === undefined ? DEFAULT_UNREVEALED_CAP : atLeastOne(parseUsdMicros(unrevealed_usd)),
    unfinalCap({ id, unfinalUsd }) {
      const set = unfinal_usd?.[id]
      if (set !== undefined) return parseUsdMicros(set)
      return unfinalUsd === undefined ? null : unfinalUsd * USD_MICROS
    },
  }
}

/** The amount is a divisor, so it must not be 0. */
function atLeastOne(amount: bigint): bigint {
  return amount > 0n ? amount : 1n
}

function capOf({ open_orders, open_usd, window_usd }: CapConfig = {}): Cap {
  const micros = (usd: string | undefined) => (usd === undefined ? null : parseUsdMicros(usd))
  return { openOrders: open_orders ?? null, openUsdMicros: micros(open_usd), windowUsdMicros: micros(window_usd) }
}
