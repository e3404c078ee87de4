/** Opens the price feed of a party from its configuration. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { parseUsdPrice, type UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { marketsOf } from '@tandem/protocol/registry/markets.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { nameOfSource } from '../config/price-feed-problems.ts'
import type { PriceFeedConfig } from '../config/price-feed-schema.ts'
import type { PartyConfig } from '../config/schema.ts'
import type { Database } from '../store/database/database.ts'
import { readPricesSince } from '../store/prices/price-records.ts'
import type { MarketView, PriceFeed } from './feed.ts'
import { startLiveFeed } from './live-feed.ts'
import { createPriceLog } from './price-log.ts'
import { createExchange } from './sources/exchange.ts'
import { createOracleSource } from './sources/oracle.ts'
import type { PriceSource } from './sources/source.ts'
import { createStaticFeed } from './static-feed.ts'
import type { Snapshot } from './timeline.ts'

export type PriceFeedContext = {
  readonly config: Pick<PartyConfig, 'prices' | 'price_feed'>
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
}

const HOUR_MS = 3600_000
const ORACLE_MAX_AGE_SECONDS = 3900
const DEFAULTS = { min_sources: 2, max_age_seconds: 60, max_deviation_bips: 100, max_jump_bips: 1000, poll_seconds: 5 } as const

/** Reads every source once before it resolves. With a database it starts from the prices of the last hour, and records new ones. */
export async function openPriceFeed(
  context: PriceFeedContext,
  store: { readonly db: Database; readonly log: Logger } | null,
): Promise<PriceFeed> {
  const { config, registry } = context
  const fixed = fixedPrices(config.prices)
  const { price_feed: given } = config
  if (given === undefined) return createStaticFeed(Object.fromEntries(fixed))
  const settings = { ...DEFAULTS, ...given }
  const now = Date.now
  const markets = new Map([...marketsOf(registry), ...(Object.entries(given.markets ?? {}) as [AssetId, string][])])
  const wanted = [...new Set([...markets].filter(([asset]) => !fixed.has(asset)).map(([, market]) => market))]
  const record = store === null ? null : createPriceLog(store.db, store.log, now)
  // Missing answers are reported only after every source had the time to answer once.
  let report: (views: readonly MarketView[]) => void = () => undefined
  const feed = await startLiveFeed({
    markets,
    fixed,
    sources: settings.sources.map((source) => openSource(context, wanted, source, settings.max_age_seconds, now)),
    rules: {
      minSources: settings.min_sources,
      maxDeviationBips: settings.max_deviation_bips,
      maxJumpBips: settings.max_jump_bips,
    },
    pollMs: settings.poll_seconds * 1000,
    past: store === null ? [] : await readPast(store.db, now() - HOUR_MS),
    now,
    onReadings: (views) => report(views),
  })
  if (record !== null) report = record.note
  report(feed.view())
  return {
    ...feed,
    async stop() {
      await feed.stop()
      await record?.stop()
    },
  }
}

/** A price of 0 means that there is none. */
function fixedPrices(table: PartyConfig['prices']): ReadonlyMap<AssetId, UsdPrice> {
  const entries = Object.entries(table).map(([asset, price]) => [asset as AssetId, parseUsdPrice(price)] as const)
  return new Map(entries.filter(([, price]) => price > 0n))
}

function openSource(
  { clients }: PriceFeedContext,
  wanted: readonly string[],
  source: PriceFeedConfig['sources'][number],
  maxAgeSeconds: number,
  now: () => number,
): PriceSource {
  const { kind, url, symbols, chain = '', contracts = {}, max_age_seconds: own } = source
  if (kind !== 'oracle') {
    const options = { kind, maxAgeMs: (own ?? maxAgeSeconds) * 1000, now }
    return createExchange(wanted, { ...options, ...(url !== undefined && { url }), ...(symbols !== undefined && { symbols }) })
  }
  const read = clients.get(chain)?.oracle
  if (read === undefined) throw new Error(`price feeds on ${chain} cannot be read: its family has no oracles`)
  return createOracleSource(wanted, { name: nameOfSource(source), read, contracts, maxAgeMs: (own ?? ORACLE_MAX_AGE_SECONDS) * 1000 })
}

async function readPast(db: Database, since: number): Promise<readonly Snapshot[]> {
  const past = await readPricesSince(db, since)
  const times = [...new Set(past.map(({ at }) => at))]
  return times.map((at) => ({
    at,
    prices: new Map(past.filter((record) => record.at === at).map(({ market, price }) => [market, price])),
  }))
}
