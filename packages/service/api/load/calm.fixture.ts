// A load monitor that never sheds load.
import type { LoadMonitor } from './load-monitor.ts'

/** A test or a bench that shares its process with a service uses this monitor: the load of the process says nothing about the service. */
export const CALM: LoadMonitor = {
  level: () => 0,
  begin: () => () => undefined,
  read: () => ({ delayMs: 0, inFlight: 0 }),
  stop: () => undefined,
}
