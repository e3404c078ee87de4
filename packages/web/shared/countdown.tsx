/** The time that is left until a moment, in unix seconds. A screen reader reads it on demand, not every second. */
import { now } from './clock.ts'
import { formatCountdown } from './duration.ts'

export function Countdown({ until }: { readonly until: number }) {
  return (
    <time role="timer" aria-live="off" dateTime={new Date(until * 1000).toISOString()}>
      {formatCountdown(until - now.value)}
    </time>
  )
}
