/** Whether the service answers, and the moments at which asking again is worth it. */
import { signal } from '@preact/signals'

/** The service did not answer the last time it was asked. */
export const isAway = signal(false)
/** As the browser says. A service on this machine answers all the same: so this only explains why one does not. */
export const isOffline = signal(!navigator.onLine)

let change = new AbortController()

/** Aborted when the browser gets or loses its connection: whoever waits to ask again asks now. */
export function untilChange(): AbortSignal {
  return change.signal
}

function tell(): void {
  isOffline.value = !navigator.onLine
  change.abort()
  change = new AbortController()
}
addEventListener('online', tell)
addEventListener('offline', tell)

/** Resolves after so many milliseconds, or at once when the signal is aborted. */
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
