/** Metrics that a service collects as it works. Those that it reads from its database are in `service/operator/figures.ts`. */

import type { OrderStatus } from '@tandem/protocol/state.ts'
import { Histogram } from 'prom-client'
import { createPartyMetrics, type PartyMetrics, type PartyMetricsOptions } from './party-metrics.ts'

export interface ServiceMetrics extends PartyMetrics {
  onStep(from: OrderStatus, to: OrderStatus, seconds: number): void
  /** `route` is the pattern of the route, never the URL. */
  onAnswer(method: string, route: string, status: number, seconds: number): void
}

const STEP_BUCKETS_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400]

type Answers = { readonly labels: Readonly<Record<string, string>>; count: number; seconds: number }

export function createServiceMetrics(options: PartyMetricsOptions): ServiceMetrics {
  const party = createPartyMetrics(options)
  const steps = new Histogram({
    name: 'tandem_order_step_seconds',
    help: 'Time that orders stayed in one status before the next. One process of a database observes it at a time',
    labelNames: ['from', 'to'],
    buckets: STEP_BUCKETS_SECONDS,
    registers: [party.registry],
  })
  // Counted in a map instead of a prom-client counter, so that a request costs one lookup.
  const answers = new Map<string, Answers>()
  const samples = (figureOf: (one: Answers) => number) => () =>
    [...answers.values()].map((one) => ({ labels: one.labels, value: figureOf(one) }))
  const labels = ['method', 'route', 'status']
  party.collectors.counter({
    name: 'tandem_http_requests_total',
    help: 'Answered requests by route',
    labels,
    read: samples(({ count }) => count),
  })
  party.collectors.counter({
    name: 'tandem_http_seconds_total',
    help: 'Total time that answering requests took, by route',
    labels,
    read: samples(({ seconds }) => seconds),
  })
  return {
    ...party,
    onStep: (from, to, seconds) => steps.observe({ from, to }, Math.max(0, seconds)),
    onAnswer(method, route, status, seconds) {
      const key = `${method} ${route} ${status}`
      let known = answers.get(key)
      if (known === undefined) {
        known = { labels: { method, route, status: String(status) }, count: 0, seconds: 0 }
        answers.set(key, known)
      }
      known.count += 1
      known.seconds += seconds
    },
  }
}
