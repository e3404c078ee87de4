/** Tests how the answers of each exchange are read and refused. */
import { startTickerServer, type TickerExchange, type TickerFault } from '@tandem/chain-kit/local/ticker/ticker-server.ts'
import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createExchange, type ExchangeName, exchanges } from './exchange.ts'
import { middleOf, type TickerRequest } from './ticker.ts'

const names = Object.keys(exchanges) as ExchangeName[]
const PRICES = { BTC: '60000', USDC: '1', XRP: '2.5' }
const server = opened(() => startTickerServer(PRICES))
beforeAll(async () => {
  for (const [market, price] of Object.entries(PRICES)) server.setPrice(market, parseUsdPrice(price))
})
afterEach(() => {
  for (const name of names) server.break(name, null)
})

const open = (kind: TickerExchange, wanted: readonly string[] = Object.keys(PRICES), timeoutMs = 30_000) =>
  createExchange(wanted, { ...server.source(kind), maxAgeMs: 60_000, now: Date.now, timeoutMs })

describe.each(names)('%s', (name) => {
  test('is asked for the wanted markets, and answers within two bips of the price', async () => {
    const askedAt = Date.now()
    const answers = await open(name).read()
    expect(new Set(answers.map(({ market }) => market))).toEqual(new Set(Object.keys(PRICES)))
    for (const answer of answers) {
      if (answer.price === null) throw new Error(answer.problem)
      const price = parseUsdPrice(PRICES[answer.market as keyof typeof PRICES])
      expect(answer.price >= price - price / 5000n && answer.price <= price + price / 5000n).toBe(true)
      expect(answer.at).toBeGreaterThan(askedAt - 5_000)
      expect(answer.at).toBeLessThan(Date.now() + 5_000)
    }
  })

  test.each<[TickerFault, RegExp]>([
    ['silent', /no answer within 150 ms/],
    ['negative', /is not a (price|number)/],
    ['string', /is not a (price|number)/],
    ['redirect', /redirects \(status 302\)/],
    ['huge', /longer than 1000000 bytes/],
    ['refused', /status 429/],
    ['garbage', /not JSON/],
  ])('has no price when it is broken: %s', async (fault, problem) => {
    server.break(name, fault)
    const answers = await open(name, Object.keys(PRICES), fault === 'silent' ? 150 : 30_000).read()
    expect(answers).toHaveLength(3)
    for (const answer of answers) expect(answer).toEqual({ market: answer.market, price: null, problem: expect.stringMatching(problem) })
  })

  test('a market that it does not list is a problem of this market, or of the request that asks for it', async () => {
    const source = createExchange(['BTC', 'NONE'], {
      ...server.source(name),
      symbols: { BTC: server.source(name).symbols.BTC ?? '', NONE: 'none' },
      maxAgeMs: 1,
      now: Date.now,
    })
    const answers = await source.read()
    expect(answers.find(({ market }) => market === 'BTC')?.price).not.toBeNull()
    expect(answers.find(({ market }) => market === 'NONE')?.problem).toMatch(/does not list|status 404/)
  })

  test('knows the market of the coin that everyone lists, and asks for nothing that is not wanted', async () => {
    expect(createExchange(['BTC', 'PURR'], { kind: name, maxAgeMs: 1, now: Date.now }).markets).toEqual(['BTC'])
    const before = server.requests[name]
    expect(await open(name, ['DOGE']).read()).toEqual([])
    expect(server.requests[name]).toBe(before)
  })
})

test.each(['bitstamp', 'coinbase', 'gemini'] as const)('%s says how old its price is', async (name) => {
  server.break(name, 'stale')
  for (const answer of await open(name).read()) expect('at' in answer && Date.now() - answer.at).toBeGreaterThan(3_500_000)
})

describe('answers as the exchanges document them', () => {
  const request: TickerRequest = { path: '', symbols: ['symbol'] }
  const read = (name: ExchangeName, body: unknown) =>
    exchanges[name].parse(body, request).map((ticker) => ({ symbol: ticker.symbol, ...ticker.read() }))
  const [bid, ask] = [parseUsdPrice('30300.1'), parseUsdPrice('30300.2')]

  test('coinbase', () => {
    const body = {
      ask: '30300.2',
      bid: '30300.10',
      volume: '3',
      trade_id: 1,
      price: '30300.1',
      size: '1',
      time: '2026-03-20T01:45:26.000000Z',
    }
    expect(read('coinbase', body)).toEqual([{ symbol: 'symbol', bid, ask, at: Date.UTC(2026, 2, 20, 1, 45, 26) }])
  })
  test('kraken', () => {
    const ticker = {
      a: ['30300.20000', '1', '1.000'],
      b: ['30300.10000', '1', '1.000'],
      c: ['30303.20000', '0.00067643'],
      t: [34619, 38907],
    }
    expect(read('kraken', { error: [], result: { XXBTZUSD: ticker } })).toEqual([{ symbol: 'XXBTZUSD', bid, ask, at: null }])
    expect(() => read('kraken', { error: ['EQuery:Unknown asset pair'] })).toThrow('EQuery:Unknown asset pair')
  })
  test('bitstamp', () => {
    const entry = { timestamp: '1643640186', bid: '30300.1', ask: '30300.2', last: '30300', pair: 'BTC/USD' }
    expect(read('bitstamp', [entry])).toEqual([{ symbol: 'BTC/USD', bid, ask, at: 1_643_640_186_000 }])
  })
  test('gemini', () => {
    const body = { bid: '30300.1', ask: '30300.2', volume: { BTC: '1', USD: '2', timestamp: 1_594_982_700_000 }, last: '30300.15' }
    expect(read('gemini', body)).toEqual([{ symbol: 'symbol', bid, ask, at: 1_594_982_700_000 }])
  })
  test('bitfinex', () => {
    const body = [['tBTCUSD', 30300.1, 13.4, 30300.2, 9.8, -3, -0.1, 30300.1, 2000, 31000, 29000]]
    expect(read('bitfinex', body)).toEqual([{ symbol: 'tBTCUSD', bid, ask, at: null }])
    expect(() => read('bitfinex', [['tBTCUSD', '30300.1', 1, 30300.2]])).toThrow('not a number')
    expect(() => read('bitfinex', [['tBTCUSD', 1e-9, 1, 1e-9]])).toThrow('not a price')
  })

  test('a price is the middle of a narrow order book', () => {
    const middle = (low: string, high: string) => middleOf({ bid: parseUsdPrice(low), ask: parseUsdPrice(high), at: null })
    expect(middle('100', '101')).toBe(parseUsdPrice('100.5'))
    expect(() => middle('0', '1')).toThrow('0')
    expect(() => middle('2', '1')).toThrow('below its bid')
    expect(() => middle('100', '105.00000001')).toThrow('too far apart')
  })
})
