/** Checks of the price sources that the schema cannot express. */
import type { PriceFeedConfig } from './price-feed-schema.ts'
import type { ChainsConfig } from './schema.ts'

type Source = PriceFeedConfig['sources'][number]

/** Sources with the same name would count twice in the median. */
export function nameOfSource({ kind, chain }: Source): string {
  return kind === 'oracle' ? `oracle on ${chain}` : kind
}

export function priceFeedProblems({ price_feed: feed, chains, environment }: ChainsConfig): readonly string[] {
  if (feed === undefined) return []
  const { sources, min_sources: minSources = 2 } = feed
  const names = sources.map(nameOfSource)
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [
    ...sources.flatMap((source, index) => sourceProblems(source, `/price_feed/sources/${index}`, chains, environment)),
    ...[...repeated].map((name) => `/price_feed/sources lists ${name} twice: it would count twice in the median`),
    ...(minSources > sources.length ? [`/price_feed/min_sources is ${minSources}, but only ${sources.length} sources are listed`] : []),
  ]
}

function sourceProblems(
  { kind, url, symbols, chain, contracts }: Source,
  place: string,
  chains: ChainsConfig['chains'],
  environment: ChainsConfig['environment'],
): readonly string[] {
  if (kind !== 'oracle') {
    const wrong = Object.entries({ chain, contracts }).filter(([, value]) => value !== undefined)
    const plain = environment === 'mainnet' && url?.startsWith('http:') === true
    return [
      ...wrong.map(([key]) => `${place}/${key} is for an oracle, and ${kind} is an exchange`),
      ...(plain ? [`${place}/url must begin with https: otherwise anyone on the network path could change a price`] : []),
    ]
  }
  const wrong = Object.entries({ url, symbols }).filter(([, value]) => value !== undefined)
  return [
    ...wrong.map(([key]) => `${place}/${key} is for an exchange, and this is an oracle`),
    ...(chain === undefined || !(chain in chains) ? [`${place}/chain must be one of the configured chains`] : []),
    ...(contracts === undefined ? [`${place}/contracts is missing`] : []),
  ]
}
