/** Bitfinex: GET /v2/tickers?symbols=…, all markets at once, as lists of numbers. It gives no time. */
import { parseList, parseNumberPrice, type TickerFormat } from './ticker.ts'

export const bitfinex: TickerFormat = {
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
