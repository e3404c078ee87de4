/** Tests the prices while exchanges are broken in every way. */
import { startTickerServer, type TickerFault } from '@tandem/chain-kit/local/ticker/ticker-server.ts'
import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, expect, test } from 'vitest'
import { createReadings } from './readings.ts'
import { createExchange } from './sources/exchange.ts'

const EXCHANGES = ['coinbase', 'gemini', 'bitstamp', 'kraken'] as const
const PRICE = parseUsdPrice('60000')
const server = opened(() => startTickerServer({ BTC: '60000' }))
beforeAll(async () => {
  server.setPrice('BTC', PRICE)
})

async function verdictWith(fault: TickerFault, broken: number) {
  for (const [index, exchange] of EXCHANGES.entries()) server.break(exchange, index < broken ? fault : null)
  const sources = EXCHANGES.map((kind, index) =>
    createExchange(['BTC'], {
      ...server.source(kind),
      maxAgeMs: 60_000,
      now: Date.now,
      timeoutMs: fault === 'silent' && index < broken ? 100 : 30_000,
    }),
  )
  const readings = createReadings(['BTC'], sources, { minSources: 3, maxDeviationBips: 100 }, Date.now)
  await Promise.all(sources.map(async (source) => readings.note(source, await source.read())))
  return readings.verdict('BTC')
}

test.each<TickerFault>(['silent', 'stale', 'wild', 'negative', 'string', 'redirect', 'huge', 'refused', 'garbage'])(
  'one broken exchange of four is outvoted, and with two broken ones there is no price: %s',
  async (fault) => {
    const { price } = await verdictWith(fault, 1)
    expect(price !== null && price > PRICE - PRICE / 5000n && price < PRICE + PRICE / 5000n).toBe(true)
    expect(await verdictWith(fault, 2)).toEqual({
      price: null,
      range: null,
      problem: expect.stringContaining(fault === 'wild' ? 'more than 100 bips apart' : 'are needed'),
    })
  },
)
