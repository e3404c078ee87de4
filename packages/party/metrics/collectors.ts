/** Gauges and counters whose values are read at each scrape. If a reading fails, only its metric is left out. */
import { Counter, Gauge, type Registry } from 'prom-client'

export type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

type Definition = {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly read: () => readonly Sample[] | Promise<readonly Sample[]>
}

export interface Collectors {
  gauge(definition: Definition): void
  /** `read` returns totals that only grow while the process, or its database, lives. */
  counter(definition: Definition): void
}

export function createCollectors(registry: Registry, onError: (metric: string, error: unknown) => void): Collectors {
  const optionsOf = ({ name, help, labels = [], read }: Definition, metric: () => { reset(): void }, put: (sample: Sample) => void) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      try {
        const samples = await read()
        metric().reset()
        for (const sample of samples) put(sample)
      } catch (error) {
        metric().reset()
        onError(name, error)
      }
    },
  })
  return {
    gauge(definition) {
      const put = ({ labels, value }: Sample) => gauge.set({ ...labels }, value)
      const gauge: Gauge = new Gauge(optionsOf(definition, () => gauge, put))
    },
    counter(definition) {
      const put = ({ labels, value }: Sample) => counter.inc({ ...labels }, value)
      const counter: Counter = new Counter(optionsOf(definition, () => counter, put))
    },
  }
}
