/** Amounts are bigints in the smallest unit inside and decimal strings outside. This file converts them, also to dollars. */
import { TandemError } from './error.ts'

/** No supported chain has amounts above a uint256. */
const MAX_AMOUNT = 2n ** 256n - 1n

/** The price is in US dollars per whole coin, times 10^8. */
export type UsdPrice = bigint
const PRICE_SCALE_DIGITS = 8

/** The amount must be ASCII digits without sign and leading zero, greater than zero and at most a uint256. */
export function parseAmount(text: string, field = 'amount'): bigint {
  if (!/^[1-9][0-9]{0,77}$/.test(text)) {
    throw new TandemError(
      'bad_request',
      `${field} must be a positive integer in the smallest unit as a decimal string, got "${text.slice(0, 90)}"`,
    )
  }
  const amount = BigInt(text)
  if (amount > MAX_AMOUNT) throw new TandemError('bad_request', `${field} does not fit in 256 bits`)
  return amount
}

/** The decimal amount is exact and has no trailing zeros: (150000000n, 8) → "1.5". */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Parses an amount in whole coins, such as 1.5, into the smallest unit. */
export function parseUnits(text: string, decimals: number, field = 'amount'): bigint {
  const [, whole, fraction = ''] = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text) ?? []
  if (whole === undefined) throw new TandemError('bad_request', `${field} takes a decimal number, such as 1.5, got "${text.slice(0, 80)}"`)
  if (fraction.length > decimals) throw new TandemError('bad_request', `${field} "${text}" has more than ${decimals} decimals`)
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (amount === 0n) throw new TandemError('bad_request', `${field} is 0`)
  return amount
}

/** The value is in millionths of a dollar, rounded down: a shown value must never promise more than there is. */
export function usdMicros(amount: bigint, decimals: number, price: UsdPrice): bigint {
  return (amount * price) / 10n ** BigInt(decimals + PRICE_SCALE_DIGITS - 6)
}

/** Dollars have 2 to 6 decimals: 1500000n → "1.50". */
export function formatUsd(micros: bigint): string {
  const [whole, fraction = ''] = formatUnits(micros, 6).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

/** The price has 8 decimals: "61250.5" → 6125050000000n. */
export function parseUsdPrice(text: string): UsdPrice {
  const match = /^(0|[1-9][0-9]*)(?:\.([0-9]{1,8}))?$/.exec(text)
  if (match === null)
    throw new TandemError('bad_request', `price must be a decimal number of dollars with at most 8 decimals, got "${text}"`)
  return BigInt(`${match[1]}${(match[2] ?? '').padEnd(PRICE_SCALE_DIGITS, '0')}`)
}

/** The result is in millionths: "0.25" → 250000n. More than 6 decimals are refused. */
export function parseUsdMicros(text: string): bigint {
  const scaled = parseUsdPrice(text)
  if (scaled % 100n !== 0n) throw new TandemError('bad_request', `dollar amounts have at most 6 decimals, got "${text}"`)
  return scaled / 100n
}

export function formatUsdPrice(price: UsdPrice): string {
  return formatUnits(price, PRICE_SCALE_DIGITS)
}

export function divideRoundingUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
