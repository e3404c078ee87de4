/** Gauges and counters whose values are read when somebody scrapes. A reading that fails leaves its metric out; the others are served. */
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
  async function fill({ name, read }: Definition, reset: () => void, put: (sample: Sample) => void): Promise<void> {
    try {
      const samples = await read()
      reset()
      for (const sample of samples) put(sample)
    } catch (error) {
      reset()
      onError(name, error)
    }
  }
  return {
    gauge(definition) {
      const { name, help, labels = [] } = definition
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect: () =>
          fill(
            definition,
            () => gauge.reset(),
            (sample) => gauge.set({ ...sample.labels }, sample.value),
          ),
      })
    },
    counter(definition) {
      const { name, help, labels = [] } = definition
      const counter: Counter = new Counter({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect: () =>
          fill(
            definition,
            () => counter.reset(),
            (sample) => counter.inc({ ...sample.labels }, sample.value),
          ),
      })
    },
  }
}
