/** Every active asset must have a price. Live prices are read once from each source, like the party reads them. */

import type { MarketView } from '@tandem/party/prices/feed.ts'
import { openPriceFeed } from '@tandem/party/prices/open-feed.ts'
import { formatUsdPrice } from '@tandem/protocol/amount.ts'
import { type Check, type Finding, ok, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

export const prices: Check = {
  name: 'prices',
  async run(context) {
    const { config, network } = context
    const active = network.registry.assets.filter((asset) => asset.deployment !== null)
    if (active.length === 0) return []
    const feed = await openPriceFeed({ config, registry: network.registry, clients: network.clients }, null)
    try {
      const views = feed.view()
      const unpriced = active.filter(({ id }) => !views.some(({ assets }) => assets.includes(id)))
      const missing = unpriced.map(({ id }) => warn(id, 'is active and has no price, so it is not quoted', `give it one in prices.${id}`))
      const needed = views.filter(({ assets }) => assets.some((asset) => active.some(({ id }) => id === asset)))
      const live = needed.filter(({ market, assets }) => assets.every((asset) => asset !== market)).flatMap(marketFindings)
      const found = [...missing, ...live, ...fixedFinding(context)]
      return found.length > 0 ? found : [ok('all', `${active.length} active assets have one`)]
    } finally {
      await feed.stop()
    }
  },
}

function marketFindings({ market, price, problem, readings }: MarketView): readonly Finding[] {
  const said = readings
    .map((reading) => `${reading.source} ${reading.price === null ? 'nothing' : formatUsdPrice(reading.price)}`)
    .join(', ')
  const silent = readings.filter((reading) => reading.problem !== null)
  const advice = 'correct or replace this source in price_feed.sources'
  return [
    price === null
      ? warn(market, `has no price, so it is not quoted: ${problem}`, `add sources that list ${market}, or see those below`)
      : ok(market, `${formatUsdPrice(price)} US dollars: ${said}`),
    ...silent.map((reading) => warn(`${market} ${reading.source}`, `does not count: ${reading.problem}`, advice)),
  ]
}

/** On a main network, a price that does not move is a gift to everyone who watches the market. */
function fixedFinding({ config }: DoctorContext): readonly Finding[] {
  const fixed = Object.keys(config.prices)
  if (config.environment !== 'mainnet' || fixed.length === 0) return []
  return [warn(fixed.join(', '), 'prices are fixed on a main network: whoever watches the market takes the difference', 'use price_feed')]
}
