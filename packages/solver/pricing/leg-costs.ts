/** Reads network fees of a leg in dollars, at current fee rates, every few seconds at most and never for each quote. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import { divideRoundingUp, type UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { max } from '@tandem/protocol/bigint.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'

/** In millionths of a dollar, rounded up. */
export type LegCostUsd = {
  readonly initiate: bigint
  readonly redeem: bigint
  readonly refund: bigint
  /** The service sends the redeem to a recipient that never held the asset. It costs 0 where a payout pays its own fee. */
  readonly paidRedeem: bigint
}

export interface LegCosts {
  /**
   * Returns null if the cost was never known: the family cannot tell, or the chain's own coin never had a price. Throws `chain_unavailable`
   * if the last reading is too old: a quote without fees would give them away.
   */
  find(asset: AssetId): Promise<LegCostUsd | null>
  /** Returns the fees of this many swaps at the last known rates, if the asset is its chain's own coin; else 0. */
  coinsFor(asset: AssetId, swaps: bigint): bigint
  /** Returns the highest costs of the last day in the chain's own coin. It returns null and throws as `find` does. */
  highest(asset: AssetId): Promise<LegCost | null>
  /** Reads the costs of these assets ahead of the first quote. Never rejects. */
  warm(assets: readonly AssetId[]): Promise<void>
}

/** An older cost is read again in the background, while quotes still use it. */
const FRESH_MS = 10_000
/** With an older cost a quote waits for the new reading. */
const WAIT_MS = 60_000
/** If the reading fails, the last cost is used up to this age. */
const USABLE_MS = 600_000

type Known = { readonly cost: LegCost; readonly atMs: number }

const HOUR_MS = 3_600_000
const PEAK_HOURS = 24

export function createLegCosts(options: {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly prices: PriceFeed
  /** Failures of nodes that do not answer are not reported here. */
  readonly onError: (asset: AssetId, error: unknown) => void
  readonly onRead?: (asset: AssetId, cost: LegCost) => void
  readonly nowMs?: () => number
}): LegCosts {
  const { registry, clients, prices, onError, nowMs = () => performance.now() } = options
  const known = new Map<AssetId, Known>()
  const reading = new Map<AssetId, Promise<LegCost | null>>()
  /** The inner keys are numbers of hours. */
  const peaks = new Map<AssetId, Map<number, LegCost>>()
  const lastPrices = new Map<AssetId, UsdPrice>()

  /** An old price is better than none: without one, quotes would not charge the fees. */
  function coinPrice(coin: AssetId): UsdPrice | null {
    const price = prices.find(coin) ?? lastPrices.get(coin) ?? null
    if (price !== null) lastPrices.set(coin, price)
    return price
  }

  function read(asset: AssetId): Promise<LegCost | null> {
    const running = reading.get(asset) ?? start(asset).finally(() => reading.delete(asset))
    reading.set(asset, running)
    return running
  }

  async function start(asset: AssetId): Promise<LegCost | null> {
    try {
      const cost = await clientFor(clients, registry.asset(asset).chain).legCost?.(asset)
      if (cost === undefined) return null
      known.set(asset, { cost, atMs: nowMs() })
      notePeak(asset, cost)
      options.onRead?.(asset, cost)
      return cost
    } catch (error) {
      // Nodes that do not answer are reported elsewhere.
      if (!(error instanceof ChainFailure)) onError(asset, error)
      return lastOf(asset)
    }
  }

  function notePeak(asset: AssetId, cost: LegCost): void {
    const hour = Math.floor(nowMs() / HOUR_MS)
    const hours = peaks.get(asset) ?? new Map<number, LegCost>()
    const known = hours.get(hour)
    hours.set(hour, known === undefined ? cost : higher(known, cost))
    for (const old of hours.keys()) if (old <= hour - PEAK_HOURS) hours.delete(old)
    peaks.set(asset, hours)
  }

  function lastOf(asset: AssetId): LegCost {
    const last = known.get(asset)
    if (last !== undefined && nowMs() - last.atMs <= USABLE_MS) return last.cost
    throw new TandemError('chain_unavailable', `the network fees of ${asset} cannot be read at the moment; try again`)
  }

  async function costOf(asset: AssetId): Promise<LegCost | null> {
    const last = known.get(asset)
    const ageMs = last === undefined ? null : nowMs() - last.atMs
    if (last === undefined || ageMs === null || ageMs > WAIT_MS) return read(asset)
    // The last cost counts, whether this reading succeeds or not.
    if (ageMs > FRESH_MS) void read(asset).catch(() => undefined)
    return last.cost
  }

  return {
    async find(asset) {
      const { chain, payoutFee } = clientFor(clients, registry.asset(asset).chain)
      const price = coinPrice(chain.nativeAsset)
      const cost = price === null ? null : await costOf(asset)
      if (price === null || cost === null) return null
      const usd = (amount: bigint) => divideRoundingUp(amount * price, 10n ** BigInt(cost.decimals) * 100n)
      return {
        initiate: usd(cost.initiate),
        redeem: usd(cost.redeem),
        refund: usd(cost.refund),
        paidRedeem: payoutFee === undefined ? usd(cost.redeem + (cost.newRecipient ?? 0n)) : 0n,
      }
    },
    coinsFor(asset, swaps) {
      const { nativeAsset, id } = registry.chain(registry.asset(asset).chain)
      if (asset !== nativeAsset) return 0n
      const costs = registry.assetsOf(id).flatMap((one) => known.get(one.id)?.cost ?? [])
      const highestSum = costs.reduce((highest, { initiate, redeem, refund }) => max(highest, initiate + redeem + refund), 0n)
      return swaps * highestSum
    },
    async highest(asset) {
      const cost = await costOf(asset)
      return cost === null ? null : [...(peaks.get(asset)?.values() ?? [])].reduce(higher, cost)
    },
    async warm(assets) {
      await Promise.allSettled(assets.map(costOf))
    },
  }
}

/** Takes the higher fees of both. Values that do not depend on fee rates are those of `b`, the newer one. */
function higher(a: LegCost, b: LegCost): LegCost {
  return { ...b, initiate: max(a.initiate, b.initiate), redeem: max(a.redeem, b.redeem), refund: max(a.refund, b.refund) }
}
