/** Reads the public tickers of one exchange over HTTP, without redirects, and with limits on time and size. */
import { callHttp } from '@tandem/runtime/http-client.ts'
import { type PriceSource, problemOf, type SourceAnswer } from './source.ts'
import {
  middleOf,
  type NamedTicker,
  parseList,
  parseNumberPrice,
  parsePrice,
  parseRecord,
  parseTime,
  type TickerFormat,
  type TickerRequest,
} from './ticker.ts'

/** Kraken: GET /0/public/Ticker?pair=… returns all markets at once, by the exchange's own names. It gives no time. */
const kraken: TickerFormat = {
  url: 'https://api.kraken.com',
  symbols: {
    BTC: 'XXBTZUSD',
    ETH: 'XETHZUSD',
    LTC: 'XLTCZUSD',
    XRP: 'XXRPZUSD',
    SOL: 'SOLUSD',
    SUI: 'SUIUSD',
    TRX: 'TRXUSD',
    BNB: 'BNBUSD',
    USDC: 'USDCUSD',
    USDT: 'USDTZUSD',
    WBTC: 'WBTCUSD',
  },
  requests: (symbols) => [{ path: `/0/public/Ticker?pair=${symbols.map(encodeURIComponent).join(',')}`, symbols }],
  parse(body) {
    const { error, result } = parseRecord(body)
    const [first] = parseList(error, 'error')
    if (first !== undefined) throw new Error(`it refused: ${String(first)}`)
    return Object.entries(parseRecord(result, 'result')).map(([symbol, entry]) => ({
      symbol,
      read() {
        // Each is a list: price, whole lot volume, lot volume.
        const { a, b } = parseRecord(entry, symbol)
        return { bid: parsePrice(parseList(b, 'b')[0], 'bid'), ask: parsePrice(parseList(a, 'a')[0], 'ask'), at: null }
      },
    }))
  },
}

/** Gemini: GET /v1/pubticker/{symbol}, one request a market. `volume.timestamp` is in milliseconds. */
const gemini: TickerFormat = {
  url: 'https://api.gemini.com',
  symbols: { BTC: 'btcusd', ETH: 'ethusd', LTC: 'ltcusd', SOL: 'solusd', XRP: 'xrpusd', USDC: 'usdcusd', USDT: 'usdtusd' },
  requests: (symbols) => symbols.map((symbol) => ({ path: `/v1/pubticker/${encodeURIComponent(symbol)}`, symbols: [symbol] })),
  parse(body, { symbols: [symbol = ''] }) {
    const { bid, ask, volume } = parseRecord(body)
    return [
      {
        symbol,
        read: () => ({
          bid: parsePrice(bid, 'bid'),
          ask: parsePrice(ask, 'ask'),
          at: parseTime(parseRecord(volume, 'volume').timestamp, 1),
        }),
      },
    ]
  },
}

/** Coinbase Exchange: GET /products/{product}/ticker, one request a market. `time` is that of the last trade. */
const coinbase: TickerFormat = {
  url: 'https://api.exchange.coinbase.com',
  symbols: {
    BTC: 'BTC-USD',
    ETH: 'ETH-USD',
    LTC: 'LTC-USD',
    SOL: 'SOL-USD',
    XRP: 'XRP-USD',
    SUI: 'SUI-USD',
    USDT: 'USDT-USD',
    BNB: 'BNB-USD',
  },
  requests: (symbols) => symbols.map((symbol) => ({ path: `/products/${encodeURIComponent(symbol)}/ticker`, symbols: [symbol] })),
  parse(body, { symbols: [symbol = ''] }) {
    const { bid, ask, time } = parseRecord(body)
    return [{ symbol, read: () => ({ bid: parsePrice(bid, 'bid'), ask: parsePrice(ask, 'ask'), at: parseIsoTime(time) }) }]
  },
}

/** Bitstamp: GET /api/v2/ticker/, every market of the exchange at once. `timestamp` is in seconds. */
const bitstamp: TickerFormat = {
  url: 'https://www.bitstamp.net',
  symbols: {
    BTC: 'BTC/USD',
    ETH: 'ETH/USD',
    LTC: 'LTC/USD',
    XRP: 'XRP/USD',
    SOL: 'SOL/USD',
    SUI: 'SUI/USD',
    USDC: 'USDC/USD',
    USDT: 'USDT/USD',
    WBTC: 'WBTC/USD',
  },
  requests: (symbols) => [{ path: '/api/v2/ticker/', symbols }],
  parse: (body) =>
    parseList(body).map((entry) => {
      const { pair, bid, ask, timestamp } = parseRecord(entry, 'an entry')
      return {
        symbol: typeof pair === 'string' ? pair : '',
        read: () => ({ bid: parsePrice(bid, 'bid'), ask: parsePrice(ask, 'ask'), at: parseTime(timestamp, 1000) }),
      }
    }),
}

/** Bitfinex: GET /v2/tickers?symbols=…, all markets at once, as lists of numbers. It gives no time. */
const bitfinex: TickerFormat = {
  url: 'https://api-pub.bitfinex.com',
  symbols: {
    BTC: 'tBTCUSD',
    ETH: 'tETHUSD',
    LTC: 'tLTCUSD',
    XRP: 'tXRPUSD',
    SOL: 'tSOLUSD',
    SUI: 'tSUIUSD',
    TRX: 'tTRXUSD',
    USDC: 'tUDCUSD',
    USDT: 'tUSTUSD',
    WBTC: 'tWBTUSD',
  },
  requests: (symbols) => [{ path: `/v2/tickers?symbols=${symbols.map(encodeURIComponent).join(',')}`, symbols }],
  parse: (body) =>
    parseList(body).map((entry) => {
      // SYMBOL, BID, BID_SIZE, ASK, …
      const [symbol, bid, , ask] = parseList(entry, 'an entry')
      return {
        symbol: typeof symbol === 'string' ? symbol : '',
        read: () => ({ bid: parseNumberPrice(bid, 'bid'), ask: parseNumberPrice(ask, 'ask'), at: null }),
      }
    }),
}

export const exchanges = { bitfinex, bitstamp, coinbase, gemini, kraken } as const satisfies Readonly<Record<string, TickerFormat>>
export type ExchangeName = keyof typeof exchanges

const TIMEOUT_MS = 3_000

/** The answer of Bitstamp, with all markets, has some 100 kB. */
const MAX_BYTES = 1_000_000

export type ExchangeOptions = {
  readonly kind: ExchangeName
  readonly url?: string
  readonly symbols?: Readonly<Record<string, string>>
  readonly maxAgeMs: number
  readonly now: () => number
  readonly timeoutMs?: number
}

export function createExchange(wanted: readonly string[], options: ExchangeOptions): PriceSource {
  const { kind, maxAgeMs, now, timeoutMs = TIMEOUT_MS } = options
  const format: TickerFormat = exchanges[kind]
  const base = (options.url ?? format.url).replace(/\/+$/, '')
  const names = new Map(Object.entries({ ...format.symbols, ...options.symbols }).filter(([market]) => wanted.includes(market)))
  const markets = [...names.keys()]
  const requests = markets.length === 0 ? [] : format.requests([...names.values()])

  async function ask(request: TickerRequest): Promise<ReadonlyMap<string, NamedTicker>> {
    const { status, text } = await callHttp({
      url: `${base}${request.path}`,
      headers: { accept: 'application/json', 'user-agent': 'tandem' },
      timeoutMs,
      maxBytes: MAX_BYTES,
    })
    if (status >= 300 && status < 400) throw new Error(`it redirects (status ${status}), and redirects are not followed`)
    if (status !== 200) throw new Error(`it answers with status ${status}`)
    return new Map(format.parse(parseJson(text), request).map((ticker) => [ticker.symbol, ticker]))
  }

  async function answersTo(request: TickerRequest): Promise<readonly SourceAnswer[]> {
    const asked = markets.filter((market) => request.symbols.includes(names.get(market) ?? ''))
    const sentAt = now()
    try {
      const tickers = await ask(request)
      return asked.map((market) => answerOf(market, tickers.get(names.get(market) ?? ''), sentAt))
    } catch (error) {
      return asked.map((market) => ({ market, price: null, problem: problemOf(error) }))
    }
  }

  return {
    name: kind,
    markets,
    maxAgeMs,
    read: async () => (await Promise.all(requests.map(answersTo))).flat(),
  }
}

function answerOf(market: string, ticker: NamedTicker | undefined, sentAt: number): SourceAnswer {
  if (ticker === undefined) return { market, price: null, problem: 'it does not list this market' }
  try {
    const read = ticker.read()
    return { market, price: middleOf(read), at: read.at ?? sentAt, problem: null }
  } catch (error) {
    return { market, price: null, problem: problemOf(error) }
  }
}

/** The message of `JSON.parse` would quote the answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('its answer is not JSON')
  }
}

function parseIsoTime(value: unknown): number {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw new Error('its time is not an ISO time')
  return time
}
