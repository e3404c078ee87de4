/** Bitstamp: GET /api/v2/ticker/, every market of the exchange at once. `timestamp` is in seconds. */
import { parseList, parsePrice, parseRecord, parseTime, type TickerFormat } from './ticker.ts'

export const bitstamp: TickerFormat = {
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
