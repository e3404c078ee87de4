/** What the transactions of a leg cost in dollars at current fees: read from the chain at most every few seconds, never for each quote. */

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
  /** The redeem if the service pays it, to a recipient that never held the asset; 0 where a payout pays its own fee. */
  readonly paidRedeem: bigint
}

export interface LegCosts {
  /**
   * Null if it was never known: the family cannot say, or the chain's own coin never had a price. Throws `chain_unavailable` if it could not be read for so
   * long that it says nothing about the fees now: a quote without them would give them away.
   */
  find(asset: AssetId): Promise<LegCostUsd | null>
  /** What the chain of this asset takes of it for so many swaps: an initiation, a redeem and a refund each, as last read. 0 for all but a chain's own coin. */
  coinsFor(asset: AssetId, swaps: bigint): bigint
  /** The highest costs of the last day, in the chain's own coin. Null: the family cannot say. Throws `chain_unavailable` as `find` does. */
  highest(asset: AssetId): Promise<LegCost | null>
  /** Reads the costs of these assets, so that the first quote finds them. Never rejects. */
  warm(assets: readonly AssetId[]): Promise<void>
}

/** From this age on a cost is read again, while quotes still use it. */
const FRESH_MS = 10_000
/** A quote waits until an older cost is read again. */
const WAIT_MS = 60_000
/** If it cannot be read, it counts until this age. */
const USABLE_MS = 600_000

type Known = { readonly cost: LegCost; readonly atMs: number }

const HOUR_MS = 3_600_000
const PEAK_HOURS = 24

export function createLegCosts(options: {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly prices: PriceFeed
  /** Of a failure that is not just a node that does not answer. */
  readonly onTrouble: (asset: AssetId, error: unknown) => void
  /** A cost was read. */
  readonly onRead?: (asset: AssetId, cost: LegCost) => void
  readonly nowMs?: () => number
}): LegCosts {
  const { registry, clients, prices, onTrouble, nowMs = () => performance.now() } = options
  const known = new Map<AssetId, Known>()
  const reading = new Map<AssetId, Promise<LegCost | null>>()
  /** The highest costs of each hour, by its number. */
  const peaks = new Map<AssetId, Map<number, LegCost>>()
  /** Of the chains' own coins. */
  const lastPrices = new Map<AssetId, UsdPrice>()

  /** An old price is nearer to the cost than none, with which quotes would give it away. */
  function coinPrice(coin: AssetId): UsdPrice | null {
    const price = prices.find(coin) ?? lastPrices.get(coin) ?? null
    if (price !== null) lastPrices.set(coin, price)
    return price
  }

  /** Concurrent callers share one read. */
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
      // Nodes that do not answer are nothing to report.
      if (!(error instanceof ChainFailure)) onTrouble(asset, error)
      return lastOf(asset)
    }
  }

  function notePeak(asset: AssetId, cost: LegCost): void {
    const hour = Math.floor(nowMs() / HOUR_MS)
    const hours = peaks.get(asset) ?? new Map<number, LegCost>()
    const known = hours.get(hour)
    hours.set(hour, known === undefined ? cost : dearer(known, cost))
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
    // It counts whether this succeeds or not.
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
      const dearest = costs.reduce((most, { initiate, redeem, refund }) => max(most, initiate + redeem + refund), 0n)
      return swaps * dearest
    },
    async highest(asset) {
      const cost = await costOf(asset)
      return cost === null ? null : [...(peaks.get(asset)?.values() ?? [])].reduce(dearer, cost)
    },
    async warm(assets) {
      await Promise.allSettled(assets.map(costOf))
    },
  }
}

/** `b` is the newer one: what does not follow fees is its. */
function dearer(a: LegCost, b: LegCost): LegCost {
  return { ...b, initiate: max(a.initiate, b.initiate), redeem: max(a.redeem, b.redeem), refund: max(a.refund, b.refund) }
}
