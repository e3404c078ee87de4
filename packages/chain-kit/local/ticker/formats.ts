/** Writes the ticker format of each exchange, taken from its documents and not from our parsers. */

export type Quoted = {
  readonly market: string
  /** Prices are decimal texts. */
  readonly bid: string
  readonly ask: string
  /** The time is in unix milliseconds. */
  readonly at: number
}

export type ExchangeFormat = {
  symbol(market: string): string
  asked(url: URL, markets: readonly string[]): readonly string[] | null
  body(quotes: readonly Quoted[]): unknown
}

const last = (path: string, before: string) => (path.startsWith(before) ? path.slice(before.length) : null)
const named = (format: Pick<ExchangeFormat, 'symbol'>, markets: readonly string[], symbols: readonly string[]) =>
  markets.filter((market) => symbols.includes(format.symbol(market)))

export const kraken: ExchangeFormat = {
  symbol: (market) => `${market}USD`,
  asked: (url, markets) =>
    url.pathname === '/0/public/Ticker' ? named(kraken, markets, (url.searchParams.get('pair') ?? '').split(',')) : null,
  body: (quotes) => ({
    error: [],
    result: Object.fromEntries(
      quotes.map(({ market, bid, ask }) => [
        kraken.symbol(market),
        { a: [ask, '1', '1.000'], b: [bid, '1', '1.000'], c: [bid, '0.1'], v: ['10', '20'], t: [5, 9], o: bid },
      ]),
    ),
  }),
}

export const bitstamp: ExchangeFormat = {
  symbol: (market) => `${market}/USD`,
  asked: (url, markets) => (url.pathname === '/api/v2/ticker/' ? markets : null),
  body: (quotes) =>
    quotes.map(({ market, bid, ask, at }) => ({
      timestamp: String(Math.floor(at / 1000)),
      last: bid,
      bid,
      ask,
      volume: '12.5',
      side: '0',
      pair: bitstamp.symbol(market),
    })),
}

export const bitfinex: ExchangeFormat = {
  symbol: (market) => `t${market}USD`,
  asked: (url, markets) =>
    url.pathname === '/v2/tickers' ? named(bitfinex, markets, (url.searchParams.get('symbols') ?? '').split(',')) : null,
  body: (quotes) =>
    quotes.map(({ market, bid, ask }) => [bitfinex.symbol(market), Number(bid), 3.5, Number(ask), 2.25, 0, 0, Number(bid), 10, 0, 0]),
}

export const coinbase: ExchangeFormat = {
  symbol: (market) => `${market}-USD`,
  asked(url, markets) {
    const rest = last(url.pathname, '/products/')
    return rest?.endsWith('/ticker') ? named(coinbase, markets, [rest.slice(0, -'/ticker'.length)]) : null
  },
  body: ([quote]) =>
    quote && {
      trade_id: 1,
      price: quote.bid,
      size: '0.1',
      time: new Date(quote.at).toISOString(),
      bid: quote.bid,
      ask: quote.ask,
      volume: '9',
    },
}

export const gemini: ExchangeFormat = {
  symbol: (market) => `${market.toLowerCase()}usd`,
  asked(url, markets) {
    const rest = last(url.pathname, '/v1/pubticker/')
    return rest === null ? null : named(gemini, markets, [rest])
  },
  body: ([quote]) =>
    quote && { bid: quote.bid, ask: quote.ask, last: quote.bid, volume: { [quote.market]: '5', USD: '9', timestamp: quote.at } },
}
