/** Short figures for the operator. */
import { groupThousands } from '../../shared/amount.ts'
import { formatDuration } from '../../shared/duration.ts'

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (count: number): string => groupThousands(Math.round(count))
export const formatShort = (count: number): string => (count < 10_000 ? formatCount(count) : short.format(count))

/** Amounts of 100 dollars and more have no cents. */
export function formatDollars(usd: string): string {
  const value = Number(usd)
  return value >= 100 ? formatShort(value) : value.toFixed(2)
}

/** Keeps at most six digits after the point. */
export function formatCoins(amount: string): string {
  const [units = '0', decimals = ''] = amount.split('.')
  const kept = decimals.slice(0, 6).replace(/0+$/, '')
  return groupThousands(kept === '' ? units : `${units}.${kept}`)
}

/** Shortens the amounts inside of a sentence, each of which is followed by its symbol. */
export function groupAmounts(text: string): string {
  return text.replaceAll(/(?<![\w.])\d{4,}(?:\.\d+)?(?= \w*[A-Z])/g, groupThousands)
}

export function formatSeconds(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(1)} s` : formatDuration(seconds)
}

export function formatSince(iso: string, now: number): string {
  return formatSeconds(Math.max(0, now - Date.parse(iso) / 1000))
}

/** Includes the day unless it is today. */
export function formatTime(iso: string): string {
  const at = new Date(iso)
  const time = at.toLocaleTimeString('en-GB')
  return at.toDateString() === new Date().toDateString() ? time : `${at.toISOString().slice(0, 10)} ${time}`
}

export const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)

export const words = (status: string): string => status.replaceAll('_', ' ')
