/** These are our own drawings of coins and chains, by the letters of their icon, on a field of 64 by 64. None copies a logo. */

/** SVG path data: `line` are strokes, `fill` areas, `frame` strokes around them, inside of which the rest is drawn smaller. */
export type Drawing = { readonly line?: string; readonly fill?: string; readonly frame?: string }

/** Coins and chains without a drawing get a coin with a rim. */
export const NEUTRAL: Drawing = { line: 'M32 14a18 18 0 1 1 0 36a18 18 0 1 1 0-36M32 23a9 9 0 1 1 0 18a9 9 0 1 1 0-18' }

const b: Drawing = {
  line: 'M21 19h14a6.5 6.5 0 0 1 0 13H26M26 19v26M26 32h11a6.5 6.5 0 0 1 0 13H21M29 12v7M36 12v7M29 45v7M36 45v7',
}
const l: Drawing = { line: 'M31 13 23 49h21M19 37l18-7' }
const crossing: Drawing = { line: 'M17 16l7.5 7.5a10.6 10.6 0 0 0 15 0L47 16M17 48l7.5-7.5a10.6 10.6 0 0 1 15 0L47 48' }
const crystal: Drawing = { fill: 'M32 9 47 33 32 41 17 33zM18 38.5 32 46l14-7.5L32 56z' }
const flame: Drawing = { line: 'M14 24c10-8 12 8 18 8s8-16 18-8c6 6 4 16-2 18-8 3-10-10-16-10s-8 13-16 10c-6-2-8-12-2-18z' }

const ring = 'M32 5a27 27 0 1 1 0 54a27 27 0 1 1 0-54'
const corners = 'M7 24A27 27 0 0 1 24 7M40 7A27 27 0 0 1 57 24M57 40A27 27 0 0 1 40 57M24 57A27 27 0 0 1 7 40'
const diamond = 'M32 4 60 32 32 60 4 32z'
const hexagon = 'M32 4 56 18v28L32 60 8 46V18z'
const cup = 'M7 18v12a25 25 0 0 0 50 0V18'
const halves = 'M9 18A27 27 0 0 1 55 18M9 46A27 27 0 0 0 55 46'
const square = 'M11 11h42v42H11z'

export const drawings: Readonly<Record<string, Drawing>> = {
  BTC: b,
  rBTC: b,
  tBTC: b,
  aBTC: b,
  WBTC: { ...b, frame: corners },
  cb: { ...b, frame: ring },
  cBTC: { ...b, frame: halves },
  BTCB: { ...b, frame: diamond },
  iBTC: { ...b, frame: hexagon },
  sBTC: { ...b, frame: square },
  uBTC: { ...b, frame: cup },
  wcB: { ...b, frame: `${halves}M4 26v12M60 26v12` },
  LTC: l,
  rLTC: l,
  tLTC: l,
  cbL: { ...l, frame: ring },
  XRP: crossing,
  cbX: { ...crossing, frame: ring },
  ETH: crystal,
  USDC: {
    line: 'M39 25c-1-3-4-4-7-4-4 0-7 2-7 5.5 0 7 14 4 14 11 0 3.5-3 5.5-7 5.5-3 0-6-1-7-4M32 15v6M32 43v6M22 12a22 22 0 0 0 0 40M42 12a22 22 0 0 1 0 40',
  },
  USDT: { line: 'M18 17h28M32 17v33M32 25c-9 0-15 2-15 5s6 5 15 5 15-2 15-5-6-5-15-5' },
  SOL: { fill: 'M22 14h28l-8 9H14zM14 27.5h28l8 9H22zM22 41h28l-8 9H14z' },
  SUI: { line: 'M32 11c9 11 14 18 14 26a14 14 0 0 1-28 0c0-8 5-15 14-26zM24 37c4 5 9-3 15 3' },
  TRX: { line: 'M13 15 43 20l8 9-22 23zM13 15l19 16 19-2M43 20 32 31l-3 21' },
  STRK: { fill: 'M32 10c2.5 13 9 19.5 22 22-13 2.5-19.5 9-22 22-2.5-13-9-19.5-22-22 13-2.5 19.5-9 22-22z' },
  HYPE: flame,
  PURR: { line: 'M15 44V16l11 8h12l11-8v28a17 12 0 0 1-34 0zM26 37v3M38 37v3M29 46q3 3 6 0' },
  MON: { line: 'M32 13c8 0 19 11 19 19S40 51 32 51 13 40 13 32 24 13 32 13zM32 25c3 0 7 4 7 7s-4 7-7 7-7-4-7-7 4-7 7-7z' },
  SEED: { line: 'M32 52V31M32 34c0-9-6-14-16-14 0 9 6 14 16 14zM32 30c0-10 6-16 16-16 0 10-6 16-16 16z' },
  ARB: { line: 'M32 10 51 21v22L32 54 13 43V21zM24 45l11-25M33 45l9-20' },
  BASE: { line: 'M13 32a19 19 0 1 1 0 .1M13 32h24' },
  BNB: { fill: 'M32 24l8 8-8 8-8-8zM32 9l10 10-5 5-5-5-5 5-5-5zM32 55 22 45l5-5 5 5 5-5 5 5zM15 26l6 6-6 6-6-6zM49 26l6 6-6 6-6-6z' },
  BTX: { line: 'M17 49C14 26 24 15 49 15c0 25-11 35-32 34zM17 49 37 27' },
  CIT: { line: 'M12 24h40a20 20 0 0 1-40 0zM32 24v20M32 24 19 39M32 24l13 15' },
  ALP: { line: 'M9 48 26 20l9 14 5-7 15 21zM20 30l6 5 5-6' },
}
