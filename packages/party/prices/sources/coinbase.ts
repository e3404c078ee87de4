/** Coinbase Exchange: GET /products/{product}/ticker, one request a market. `time` is that of the last trade. */
import { parsePrice, parseRecord, type TickerFormat } from './ticker.ts'

export const coinbase: TickerFormat = {
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

function parseIsoTime(value: unknown): number {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw new Error('its time is not a time')
  return time
}
