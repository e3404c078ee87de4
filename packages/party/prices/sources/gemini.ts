/** Gemini: GET /v1/pubticker/{symbol}, one request a market. `volume.timestamp` is in milliseconds. */
import { parsePrice, parseRecord, parseTime, type TickerFormat } from './ticker.ts'

export const gemini: TickerFormat = {
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
