/** Amounts as people write and read them. Money is a bigint of the smallest unit; no number with a fraction is ever used. */

/** The result is null if the text is not an amount, or has more decimals: nothing is rounded. A comma is read as a point. */
export function parseAmount(text: string, decimals: number): bigint | null {
  const match = /^(\d*)(?:[.,](\d*))?$/.exec(text.replaceAll(/[\s\u202f']/g, ''))
  const [whole = '', fraction = ''] = match?.slice(1) ?? []
  if (match === null || (whole === '' && fraction === '') || fraction.length > decimals) return null
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/**
 * The one way to write thousands: a narrow space that does not break (ISO 80000-1). Half of the readers, and
 * `parseAmount`, would read a comma as a decimal point. Digits after the point are not grouped.
 */
export function groupThousands(number: number | bigint | string): string {
  const [whole = '', ...fraction] = String(number).split('.')
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u202f'), ...fraction].join('.')
}

/** All digits, without zeros at the end. */
export function formatAmount(amount: bigint, decimals: number): string {
  return groupThousands(plainAmount(amount, decimals))
}

/** Writes an amount for an input field, without separators of thousands. */
export function plainAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** A decimal text of US dollars, in millionths. */
function microsOf(decimal: string): bigint {
  return parseAmount(decimal.slice(0, decimal.indexOf('.') < 0 ? undefined : decimal.indexOf('.') + 7), 6) ?? 0n
}

/** The dollar value of `part`, in millionths, by that of `whole`. */
export function shareOfUsd(decimal: string, part: bigint, whole: bigint): bigint {
  return whole === 0n ? 0n : (microsOf(decimal) * part) / whole
}

/** Rounded half up to cents: for reading only. */
export function formatMicros(micros: bigint): string {
  const cents = (micros + 5_000n) / 10_000n
  const text = cents.toString().padStart(3, '0')
  return `$${groupThousands(`${text.slice(0, -2)}.${text.slice(-2)}`)}`
}

/** The price of one whole `from` in `to`, rounded down to eight digits after the point: for reading only. */
export function formatRate(from: { amount: bigint; decimals: number }, to: { amount: bigint; decimals: number }): string {
  if (from.amount === 0n) return ''
  const scaled = (to.amount * 10n ** BigInt(from.decimals) * 10n ** 8n) / (from.amount * 10n ** BigInt(to.decimals))
  return formatAmount(significant(scaled), 8)
}

/** Keeps six significant digits; the others become zero. */
function significant(value: bigint): bigint {
  const extra = value.toString().length - 6
  return extra <= 0 ? value : (value / 10n ** BigInt(extra)) * 10n ** BigInt(extra)
}
