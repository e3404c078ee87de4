/** The icon of each asset, by its symbol: one coin looks the same on every chain. */
import type { Icon } from '../icon.ts'

export const assetIcons = {
  BTC: { text: 'BTC', color: '#f7931a' },
  CBBTC: { text: 'cb', color: '#0052ff' },
  CBLTC: { text: 'cbL', color: '#2f5fa8' },
  CBTC: { text: 'cBTC', color: '#d9541e' },
  CBXRP: { text: 'cbX', color: '#3a4a5c' },
  BTCB: { text: 'BTCB', color: '#b07800' },
  ETH: { text: 'ETH', color: '#627eea' },
  IBTC: { text: 'iBTC', color: '#7a3ff2' },
  LTC: { text: 'LTC', color: '#345d9d' },
  MON: { text: 'MON', color: '#6e54ff' },
  PURR: { text: 'PURR', color: '#0f8a73' },
  SBTC: { text: 'sBTC', color: '#a8581c' },
  SEED: { text: 'SEED', color: '#2f8f4e' },
  SOL: { text: 'SOL', color: '#7b3fe4' },
  SUI: { text: 'SUI', color: '#2f7fd6' },
  UBTC: { text: 'uBTC', color: '#15806d' },
  USDC: { text: 'USDC', color: '#2775ca' },
  USDT: { text: 'USDT', color: '#1f8a6a' },
  WBTC: { text: 'WBTC', color: '#5a5564' },
  WCBTC: { text: 'wcB', color: '#8c3b14' },
  XRP: { text: 'XRP', color: '#23292f' },
} as const satisfies Readonly<Record<string, Icon>>
