/** The level and the refusals as metrics. Labels are two fixed words: strangers cannot make more of them. */
import type { Collectors } from '@tandem/party/metrics/collectors.ts'
import type { LoadMonitor } from './load-monitor.ts'
import type { Sheddable } from './shedding.ts'

/** Returns what to call for each refusal. */
export function describeLoad({ counter, gauge }: Collectors, load: LoadMonitor): (what: Sheddable) => void {
  const refused: Record<Sheddable, number> = { 'new swaps': 0, 'other requests': 0 }
  counter({
    name: 'tandem_shed_requests_total',
    help: 'Requests that were refused because this process was busy',
    labels: ['what'],
    read: () => Object.entries(refused).map(([what, value]) => ({ labels: { what }, value })),
  })
  gauge({
    name: 'tandem_load_level',
    help: '0: everything is served; 1: no lists, streams and pages, and nothing to who causes the load; 2: only requests about one order',
    read: () => [{ value: load.level() }],
  })
  return (what) => {
    refused[what] += 1
  }
}
