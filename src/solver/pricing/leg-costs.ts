/** What the transactions of a leg cost in dollars at current fees: read from the chain at most every few seconds, never for each quote. */

import type { LegCost } from '../../chains/port/abilities/leg-cost.ts'
import type { ChainClient } from '../../chains/port/client.ts'
import { ChainFailure } from '../../chains/port/failure.ts'
import { clientFor } from '../../engine/facts.ts'
import type { PriceFeed } from '../../prices/feed.ts'
import { divideRoundingUp, type UsdPrice } from '../../protocol/amount.ts'
import type { AssetId } from '../../protocol/asset.ts'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { Registry } from '../../protocol/registry/registry.ts'

/** In millionths of a dollar, rounded up. */
export type LegCostUsd = {
  readonly initiate: bigint
  readonly redeem: bigint
  readonly refund: bigint
  /** The redeem if the service pays it, to a recipient that never held the asset; 0 where a payout pays its own fee. */
  readonly paidRedeem: bigint
}

export interface LegCosts {
  /** Null if it is unknown: the nodes do not answer, or the chain's own coin never had a price. */
  find(asset: AssetId): Promise<LegCostUsd | null>
  /** Reads the costs of these assets, so that the first quote finds them. Never rejects. */
  warm(assets: readonly AssetId[]): Promise<void>
}

/** From this age on a cost is read again, while quotes still use it. */
const FRESH_MS = 10_000
/** An older cost is not used any more. */
const USABLE_MS = 60_000

type Known = { readonly cost: LegCost; readonly atMs: number }

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
      options.onRead?.(asset, cost)
      return cost
    } catch (error) {
      // A chain whose nodes do not answer takes no orders: then nothing depends on this cost.
      if (!(error instanceof ChainFailure)) onTrouble(asset, error)
      return null
    }
  }

  async function costOf(asset: AssetId): Promise<LegCost | null> {
    const last = known.get(asset)
    const ageMs = last === undefined ? null : nowMs() - last.atMs
    if (last === undefined || ageMs === null || ageMs > USABLE_MS) return read(asset)
    if (ageMs > FRESH_MS) void read(asset)
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
    async warm(assets) {
      await Promise.all(assets.map(costOf))
    },
  }
}
