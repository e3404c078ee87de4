/** The price feed of a party, from its configuration. */
import type { PartyConfig } from '../config/schema.ts'
import { parseUsdPrice } from '../protocol/amount.ts'
import type { PriceFeed } from './feed.ts'
import { createStaticFeed } from './static-feed.ts'

export function openPriceFeed(config: Pick<PartyConfig, 'prices'>): PriceFeed {
  return createStaticFeed(Object.fromEntries(Object.entries(config.prices).map(([asset, price]) => [asset, parseUsdPrice(price)])))
}
