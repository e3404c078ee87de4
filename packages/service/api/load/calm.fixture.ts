import type { LoadMonitor } from './load-monitor.ts'

/** For a test or a bench that shares its process with a service: the load of the process says nothing about the service, and nothing is shed. */
export const CALM: LoadMonitor = {
  level: () => 0,
  begin: () => () => undefined,
  read: () => ({ delayMs: 0, inFlight: 0 }),
  stop: () => undefined,
}
