/** The common form of exchange tickers, a best bid and a best ask in US dollars, and strict parsers for it. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'

export type TickerFormat = {
  readonly url: string
  /** The names of its dollar markets. A market that it does not list fails alone, or with its whole request. */
  readonly symbols: Readonly<Record<string, string>>
  requests(symbols: readonly string[]): readonly TickerRequest[]
  /** Returns the tickers in an answer, possibly more than were requested. Throws if the answer as a whole is malformed. */
  parse(body: unknown, request: TickerRequest): readonly NamedTicker[]
}

export type TickerRequest = { readonly path: string; readonly symbols: readonly string[] }

/** `read` throws if this ticker is malformed. The others still count. */
export type NamedTicker = { readonly symbol: string; read(): Ticker }

export type Ticker = {
  readonly bid: UsdPrice
  readonly ask: UsdPrice
  /** Unix milliseconds; null if the exchange gives no time. */
  readonly at: number | null
}

const DECIMALS = 8
const MAX_SPREAD_PERCENT = 5n

/** The middle of bid and ask, rounded down. If they are far apart the order book is too thin for a price. */
export function middleOf({ bid, ask }: Ticker): UsdPrice {
  if (bid <= 0n || ask <= 0n) throw new Error('its price is 0')
  if (ask < bid) throw new Error('its ask is below its bid')
  if ((ask - bid) * 100n > bid * MAX_SPREAD_PERCENT) throw new Error('its bid and ask are too far apart')
  return (bid + ask) / 2n
}

/** Parses a decimal number in a text. Decimals beyond the eighth are cut off. */
export function parsePrice(value: unknown, name: string): UsdPrice {
  if (typeof value !== 'string') throw new Error(`${name} is not a text`)
  const match = /^([0-9]{1,12})(?:\.([0-9]{1,20}))?$/.exec(value)
  if (match === null) throw new Error(`${name} is not a price`)
  return BigInt(`${match[1]}${(match[2] ?? '').slice(0, DECIMALS).padEnd(DECIMALS, '0')}`)
}

/** Parses a JSON number. Up to 15 digits its shortest decimal form is what the exchange wrote. */
export function parseNumberPrice(value: unknown, name: string): UsdPrice {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`${name} is not a number`)
  return parsePrice(value.toString(), name)
}

/** Parses seconds or milliseconds since 1970, as a whole number or as its text. */
export function parseTime(value: unknown, unitMs: number): number {
  const time = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value
  if (typeof time !== 'number' || !Number.isSafeInteger(time) || time < 0) throw new Error('its time is not a number')
  return time * unitMs
}

export function parseRecord(value: unknown, name = 'the answer'): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`)
  return value as Readonly<Record<string, unknown>>
}

export function parseList(value: unknown, name = 'the answer'): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`)
  return value
}
