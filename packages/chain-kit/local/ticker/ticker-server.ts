/** Simulates the public tickers of several exchanges. Prices move at random; tests can fix them and make each exchange fail in every way. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bitfinex, bitstamp, coinbase, type ExchangeFormat, gemini, kraken, type Quoted } from './formats.ts'
import { createWalk } from './walk.ts'

export const tickerExchanges = { bitfinex, bitstamp, coinbase, gemini, kraken } as const satisfies Readonly<Record<string, ExchangeFormat>>
export type TickerExchange = keyof typeof tickerExchanges

/**
 * silent     never answers
 * stale      answers with a time of an hour ago, if it gives a time
 * wild       a hundred times the price
 * negative   a price below 0
 * string     words instead of a price
 * redirect   to an address that answers well
 * huge       an answer without end
 * refused    status 429
 * garbage    no JSON
 */
export type TickerFault = 'silent' | 'stale' | 'wild' | 'negative' | 'string' | 'redirect' | 'huge' | 'refused' | 'garbage'

export interface TickerServer {
  source(exchange: TickerExchange): {
    readonly kind: TickerExchange
    readonly url: string
    readonly symbols: Readonly<Record<string, string>>
  }
  break(exchange: TickerExchange, fault: TickerFault | null): void
  setPrice(market: string, price: bigint | null): void
  readonly requests: Readonly<Record<TickerExchange, number>>
  close(): Promise<void>
}

const STEP_MS = 1000
const HOUR_MS = 3600_000
const SEED = 20_090_103
/** Each exchange is this far from the common price, in hundredths of a bip. */
const OFFSETS: Readonly<Record<TickerExchange, bigint>> = { bitfinex: -100n, bitstamp: 50n, coinbase: 0n, gemini: 100n, kraken: -50n }

/** `prices` has the first price of each market, as decimal texts of at most 8 decimals. The server listens on 127.0.0.1. */
export async function startTickerServer(prices: Readonly<Record<string, string>>): Promise<TickerServer> {
  const markets = Object.keys(prices)
  const walk = createWalk(new Map(Object.entries(prices).map(([market, price]) => [market, parse(price)])), SEED)
  const fixed = new Map<string, bigint>()
  const faults = new Map<TickerExchange, TickerFault>()
  const requests: Record<TickerExchange, number> = { bitfinex: 0, bitstamp: 0, coinbase: 0, gemini: 0, kraken: 0 }
  let steppedAt = Date.now()

  function quotesOf(exchange: TickerExchange, asked: readonly string[]): readonly Quoted[] {
    // Prices move only when a request comes, so an idle server needs no timer.
    const steps = Math.floor((Date.now() - steppedAt) / STEP_MS)
    steppedAt += steps * STEP_MS
    walk.step(steps)
    return asked.map((market) => quote(exchange, market, fixed.get(market) ?? walk.price(market) ?? 0n))
  }

  function quote(exchange: TickerExchange, market: string, price: bigint): Quoted {
    const fault = faults.get(exchange)
    const here = (price + (price * OFFSETS[exchange]) / 1_000_000n) * (fault === 'wild' ? 100n : 1n)
    const edge = here / 20_000n
    const texts = (value: bigint) => (fault === 'string' ? 'a lot' : `${fault === 'negative' ? '-' : ''}${format(value)}`)
    return { market, bid: texts(here - edge), ask: texts(here + edge), at: Date.now() - (fault === 'stale' ? HOUR_MS : 0) }
  }

  const server = createServer((request, response) => {
    const [, exchange = '', ...rest] = (request.url ?? '').split('/')
    // The prefix `/sound/` asks for the answer of an exchange that works.
    const [sound, name] = exchange === 'sound' ? [true, rest.shift() ?? ''] : [false, exchange]
    if (!isExchange(name)) return void response.writeHead(404).end()
    const url = new URL(`/${rest.join('/')}`, 'http://127.0.0.1')
    requests[name]++
    const asked = tickerExchanges[name].asked(url, markets)
    if (asked === null || asked.length === 0) return void response.writeHead(404).end('{}')
    const fault = sound ? undefined : faults.get(name)
    if (fault === 'silent') return
    if (fault === 'redirect') return void response.writeHead(302, { location: `/sound/${name}/${rest.join('/')}` }).end()
    if (fault === 'refused') return void response.writeHead(429).end('{}')
    if (fault === 'garbage') return void response.writeHead(200).end('<html>')
    if (fault === 'huge') return pour(response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tickerExchanges[name].body(quotesOf(name, asked))))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    source: (kind) => ({
      kind,
      url: `${base}/${kind}`,
      symbols: Object.fromEntries(markets.map((market) => [market, tickerExchanges[kind].symbol(market)])),
    }),
    break: (exchange, fault) => void (fault === null ? faults.delete(exchange) : faults.set(exchange, fault)),
    setPrice: (market, price) => void (price === null ? fixed.delete(market) : fixed.set(market, price)),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isExchange(name: string): name is TickerExchange {
  return Object.hasOwn(tickerExchanges, name)
}

/** Sends spaces until the client disconnects. */
function pour(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}

function parse(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.')
  return BigInt(`${whole}${fraction.padEnd(8, '0')}`)
}

function format(price: bigint): string {
  const digits = price.toString().padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}
