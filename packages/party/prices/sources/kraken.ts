/** Kraken: GET /0/public/Ticker?pair=…, all markets at once, by the exchange's own names of them. It gives no time. */
import { parseList, parsePrice, parseRecord, type TickerFormat } from './ticker.ts'

export const kraken: TickerFormat = {
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
