/** The settings of live prices, the same for both parties. */
import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false } as const

const Market = { pattern: '^[A-Z0-9.]{1,16}$', title: 'the name of a market in capital letters' } as const

const MAX_PRICE_SOURCES = 16

const Source = Type.Object(
  {
    kind: Type.Union(
      [
        Type.Literal('bitfinex'),
        Type.Literal('bitstamp'),
        Type.Literal('coinbase'),
        Type.Literal('gemini'),
        Type.Literal('kraken'),
        Type.Literal('oracle'),
      ],
      {
        title: '"bitfinex", "bitstamp", "coinbase", "gemini", "kraken" or "oracle"',
        description: 'An exchange, or `oracle`: price feeds on a chain.',
      },
    ),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s?#]+$',
        title: 'an http or https URL',
        description: 'The URL of the tickers, for an exchange. Default: that of the exchange.',
      }),
    ),
    symbols: Type.Optional(
      Type.Record(Type.String(Market), Type.String({ minLength: 1, maxLength: 32 }), {
        description: 'Additional names of markets in US dollars, for an exchange, such as `{"BTC": "BTC-USD"}`.',
      }),
    ),
    chain: Type.Optional(Type.String({ minLength: 1, description: 'The chain of an oracle: one of `chains`.' })),
    contracts: Type.Optional(
      Type.Record(Type.String(Market), Type.String({ minLength: 1, maxLength: 80 }), {
        description:
          "The contracts of an oracle: the address of each market's feed in US dollars, with the interface of Chainlink's AggregatorV3Interface.",
      }),
    ),
    max_age_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90_000,
        description:
          'Overrides `max_age_seconds` for this source. An oracle writes only when the price moves or its heartbeat ends, so its default is 3900.',
      }),
    ),
  },
  strict,
)

export const PriceFeedConfig = Type.Object(
  {
    sources: Type.Array(Source, {
      minItems: 1,
      maxItems: MAX_PRICE_SOURCES,
      description: 'The sources of prices. The price is the median of the fresh ones.',
    }),
    min_sources: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PRICE_SOURCES,
        default: 2,
        description:
          'How many sources must have a fresh price and agree. More than half of the fresh ones must agree in any case. With 1, every single source is trusted.',
      }),
    ),
    max_age_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600, default: 60, description: 'Older prices do not count.' })),
    max_deviation_bips: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5000,
        default: 100,
        description: 'How far from the median a price may be and still agree. Pairs of a market whose sources do not agree are halted.',
      }),
    ),
    max_jump_bips: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 100_000,
        default: 1000,
        description: 'A pair whose rate moves by more within five minutes is halted, until it has moved by less for five minutes.',
      }),
    ),
    poll_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300, default: 5, description: 'How often each source is read.' })),
    markets: Type.Optional(
      Type.Record(Type.String(), Type.String(Market), {
        description:
          'Markets by asset, which override those of the registry: `{"base:cbbtc": "BTC"}` trusts that the wrapped coin is worth the coin.',
        default: {},
      }),
    ),
  },
  { ...strict, description: 'Live prices. Without it, and for the assets in `prices`, prices are fixed.' },
)
export type PriceFeedConfig = Static<typeof PriceFeedConfig>
