/** Knows whether the service answers, and when to try again. */
import { signal } from '@preact/signals'

/** The service did not answer the last time it was asked. */
export const isAway = signal(false)
/** The browser reports that it is offline. A service on this machine still answers, so this only explains why a service does not. */
export const isOffline = signal(!navigator.onLine)

let change = new AbortController()

/** The signal is aborted when the browser gets or loses its connection, so that waiting retries run at once. */
export function untilChange(): AbortSignal {
  return change.signal
}

function update(): void {
  isOffline.value = !navigator.onLine
  change.abort()
  change = new AbortController()
}
addEventListener('online', update)
addEventListener('offline', update)

/** Resolves after the delay, or at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
