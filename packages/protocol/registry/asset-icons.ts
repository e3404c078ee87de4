/** Each asset has one icon by its symbol in lower case, because one coin has one icon on every chain. */
import type { Icon } from '../icon.ts'

export const assetIcons = {
  btc: { text: 'BTC', color: '#f7931a' },
  cbbtc: { text: 'cb', color: '#0052ff' },
  cbltc: { text: 'cbL', color: '#2f5fa8' },
  cbtc: { text: 'cBTC', color: '#d9541e' },
  cbxrp: { text: 'cbX', color: '#3a4a5c' },
  btcb: { text: 'BTCB', color: '#b07800' },
  eth: { text: 'ETH', color: '#627eea' },
  ibtc: { text: 'iBTC', color: '#7a3ff2' },
  ltc: { text: 'LTC', color: '#345d9d' },
  mon: { text: 'MON', color: '#6e54ff' },
  purr: { text: 'PURR', color: '#0f8a73' },
  sbtc: { text: 'sBTC', color: '#a8581c' },
  seed: { text: 'SEED', color: '#2f8f4e' },
  sol: { text: 'SOL', color: '#7b3fe4' },
  sui: { text: 'SUI', color: '#2f7fd6' },
  ubtc: { text: 'uBTC', color: '#15806d' },
  usdc: { text: 'USDC', color: '#2775ca' },
  usdt: { text: 'USDT', color: '#1f8a6a' },
  wbtc: { text: 'WBTC', color: '#5a5564' },
  wcbtc: { text: 'wcB', color: '#8c3b14' },
  xrp: { text: 'XRP', color: '#23292f' },
} as const satisfies Readonly<Record<string, Icon>>
