/** Live prices are simulated: local exchanges have prices that wander around those of the local chains. */
import { startTickerServer, type TickerExchange, type TickerServer } from '@tandem/chain-kit/local/ticker/ticker-server.ts'
import { localAssets } from '@tandem/families/registry.ts'
import type { PriceFeedConfig } from '@tandem/party/config/price-feed-schema.ts'
import type { PartyConfig } from '@tandem/party/config/schema.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export type LocalPrices = {
  readonly ticker: TickerServer | null
  readonly settings: Pick<PartyConfig, 'prices' | 'price_feed'>
}

export type LocalPriceFeed = Partial<Omit<PriceFeedConfig, 'sources' | 'markets'>>

/** These exchanges answer for all markets at once. */
const EXCHANGES = ['bitfinex', 'bitstamp', 'kraken'] as const satisfies readonly TickerExchange[]

/** If `feed` is null, the prices do not move. */
export async function startLocalPrices(prices: Readonly<Record<AssetId, string>>, feed: LocalPriceFeed | null): Promise<LocalPrices> {
  if (feed === null) return { ticker: null, settings: { prices } }
  const markets = Object.entries(prices).map(([asset, price]) => ({ asset, market: marketOf(asset), price }))
  const ticker = await startTickerServer(Object.fromEntries(markets.map(({ market, price }) => [market, price])))
  return {
    ticker,
    settings: {
      prices: {},
      price_feed: {
        ...feed,
        sources: EXCHANGES.map(ticker.source),
        markets: Object.fromEntries(markets.map(({ asset, market }) => [asset, market])),
      },
    },
  }
}

/** Local wrapped coins are worth the coin. */
function marketOf(asset: string): string {
  const market = localAssets.find(({ id }) => id === asset)?.market ?? asset.slice(asset.indexOf(':') + 1).toUpperCase()
  return market.endsWith('BTC') ? 'BTC' : market
}

export type LocalSolver = {
  readonly id: string
  readonly spreadBips: number
  /** A local family gives this share of the balances to a solver. */
  readonly inventoryPercent: bigint
  /** The solver serves the first chains of the list, because each chain needs memory, and time to start. */
  readonly maxChains: number
}

/** The first solver runs alone where one is enough. */
const ALL: readonly LocalSolver[] = [
  { id: 'local-solver', spreadBips: 30, inventoryPercent: 100n, maxChains: Number.POSITIVE_INFINITY },
  { id: 'cheap-solver', spreadBips: 20, inventoryPercent: 1n, maxChains: 4 },
  { id: 'large-solver', spreadBips: 40, inventoryPercent: 200n, maxChains: Number.POSITIVE_INFINITY },
]

export type SolverCount = 1 | 2 | 3

export function localSolvers(count: SolverCount): readonly LocalSolver[] {
  return ALL.slice(0, count)
}

export function servedBy({ maxChains }: LocalSolver, chains: readonly ChainId[]): readonly ChainId[] {
  return chains.slice(0, maxChains)
}
