/** A source over HTTP: the public tickers of one exchange. No redirects; limits on time and size. */
import { callHttp } from '@tandem/runtime/http-client.ts'
import { bitfinex } from './bitfinex.ts'
import { bitstamp } from './bitstamp.ts'
import { coinbase } from './coinbase.ts'
import { gemini } from './gemini.ts'
import { kraken } from './kraken.ts'
import { type PriceSource, problemOf, type SourceAnswer } from './source.ts'
import { middleOf, type NamedTicker, type TickerFormat, type TickerRequest } from './ticker.ts'

export const exchanges = { bitfinex, bitstamp, coinbase, gemini, kraken } as const satisfies Readonly<Record<string, TickerFormat>>
export type ExchangeName = keyof typeof exchanges

const TIMEOUT_MS = 3_000
/** All markets of Bitstamp are some 100 kB. */
const MAX_BYTES = 1_000_000

export type ExchangeOptions = {
  readonly kind: ExchangeName
  /** Default: the exchange itself. */
  readonly url?: string
  /** Names of its markets, beside or instead of those that are known. */
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

  /** By symbol. */
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

/** The parser's own message would quote the answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('its answer is not JSON')
  }
}
