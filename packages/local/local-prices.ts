/** Live prices on this machine: exchanges whose prices wander around those of the local chains. */
import { startTickerServer, type TickerExchange, type TickerServer } from '@tandem/chain-kit/local/ticker/ticker-server.ts'
import { localAssets } from '@tandem/families/registry.ts'
import type { PriceFeedConfig } from '@tandem/party/config/price-feed-schema.ts'
import type { PartyConfig } from '@tandem/party/config/schema.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'

export type LocalPrices = {
  /** Null: prices are fixed. */
  readonly ticker: TickerServer | null
  /** For the parties' configuration. */
  readonly settings: Pick<PartyConfig, 'prices' | 'price_feed'>
}

export type LocalPriceFeed = Partial<Omit<PriceFeedConfig, 'sources' | 'markets'>>

/** Those that answer for all markets at once. */
const EXCHANGES = ['bitfinex', 'bitstamp', 'kraken'] as const satisfies readonly TickerExchange[]

/** `feed` null: the prices stay as they are. */
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
