/** Metrics that a service and a solver share: chains, nodes, actions, the process and its database. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Logger } from '@tandem/runtime/log.ts'
import { Histogram, Registry } from 'prom-client'
import type { LeasedAction } from '../store/actions/actions.ts'
import { type Database, poolStateOf } from '../store/database/database.ts'
import { type ChainFigureSource, type ChainFigures, readChainFigures } from './chain-figures.ts'
import { type Collectors, createCollectors, type Sample } from './collectors.ts'

export type PartyMetricsOptions = ChainFigureSource & {
  readonly db: Database
  readonly log: Logger
  readonly problems: Readonly<Record<'warn' | 'error' | 'fatal', number>>
}

export interface PartyMetrics {
  readonly registry: Registry
  readonly collectors: Collectors
  readonly onDifference: () => void
  readonly onAction: (action: Pick<LeasedAction, 'verb' | 'leg'>, outcome: string, ms: number) => void
  render(): Promise<string>
}

const DELAY_RESOLUTION_MS = 50
const NANOSECONDS_PER_SECOND = 1e9
const ACTION_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

export function createPartyMetrics(options: PartyMetricsOptions): PartyMetrics {
  const { db, log, problems } = options
  const registry = new Registry()
  const collectors = createCollectors(registry, (metric, error) => log.warn({ metric, err: error }, 'a metric cannot be read'))
  const actions = new Histogram({
    name: 'tandem_action_seconds',
    help: 'Duration of one try of an action, by its outcome',
    labelNames: ['verb', 'leg', 'outcome'],
    buckets: ACTION_BUCKETS_SECONDS,
    registers: [registry],
  })
  describeChains(collectors, () => readChainFigures(options))
  describeProcess(collectors)
  collectors.gauge({
    name: 'tandem_database_connections',
    help: 'Connections of the pool: open, idle, waiting callers, and max, the limit',
    labels: ['state'],
    read: () => Object.entries(poolStateOf(db)).map(([state, value]) => ({ labels: { state }, value })),
  })
  collectors.counter({
    name: 'tandem_problems_total',
    help: 'Warnings and errors in the log of this process',
    labels: ['level'],
    read: () => Object.entries(problems).map(([level, value]) => ({ labels: { level }, value })),
  })
  let differences = 0
  collectors.counter({
    name: 'tandem_database_differences_total',
    help: 'How often the database and a chain differed about an order. Nothing was signed then',
    labels: [],
    read: () => [{ labels: {}, value: differences }],
  })
  return {
    registry,
    collectors,
    onDifference() {
      differences += 1
    },
    onAction: ({ verb, leg }, outcome, ms) => actions.observe({ verb, leg, outcome }, ms / 1000),
    render: () => registry.metrics(),
  }
}

function describeChains(collectors: Collectors, read: () => readonly ChainFigures[]): void {
  const perChain = (name: string, help: string, figureOf: (figures: ChainFigures) => number | null) =>
    collectors.gauge({
      name,
      help,
      labels: ['chain'],
      read: () =>
        read().flatMap((figures): Sample[] => {
          const value = figureOf(figures)
          return value === null ? [] : [{ labels: { chain: figures.chain.id }, value }]
        }),
    })
  perChain('tandem_chain_height', 'Height of the newest known block', ({ status }) =>
    status.tip === null ? null : Number(status.tip.height),
  )
  perChain(
    'tandem_chain_behind_blocks',
    'Blocks between the newest block and the newest one whose events are recorded',
    ({ behind }) => behind,
  )
  perChain('tandem_chain_block_age_seconds', "Age of the newest block, by the block's own time", ({ blockAgeSeconds }) => blockAgeSeconds)
  perChain('tandem_chain_halt_seconds', 'A chain counts as halted when its newest block is older than this', ({ chain }) =>
    Number(chain.haltSeconds),
  )
  perChain('tandem_chain_silent_seconds', 'Time since the nodes of the chain last answered', ({ status }) =>
    status.silentMs === null ? null : status.silentMs / 1000,
  )
  perChain('tandem_chain_healthy', '1 while the nodes answer and their history matches the recorded one', ({ status }) =>
    status.isHealthy ? 1 : 0,
  )

  const ofProviders = (samplesOf: (chain: string, provider: ChainFigures['providers'][number]) => readonly Sample[]) => () =>
    read().flatMap(({ chain, providers }) => providers.flatMap((provider) => samplesOf(chain.id, provider)))
  collectors.counter({
    name: 'tandem_provider_requests_total',
    help: 'Requests to nodes, by outcome. Parties in one process share this count',
    labels: ['chain', 'provider', 'outcome'],
    read: ofProviders((chain, { name, answered, limited, failed }) =>
      Object.entries({ answered, limited, failed }).map(([outcome, value]) => ({ labels: { chain, provider: name, outcome }, value })),
    ),
  })
  collectors.gauge({
    name: 'tandem_provider_up',
    help: '1 if the node answered the last request',
    labels: ['chain', 'provider'],
    read: ofProviders((chain, { name, failing }) => [{ labels: { chain, provider: name }, value: failing ? 0 : 1 }]),
  })
}

/** The delay is measured from the first scrape on, so it costs nothing if nobody scrapes. */
function describeProcess(collectors: Collectors): void {
  let delays: ReturnType<typeof monitorEventLoopDelay> | null = null
  let before = performance.eventLoopUtilization()
  collectors.gauge({
    name: 'tandem_event_loop_delay_seconds',
    help: 'Delay of timers since the last scrape',
    labels: ['quantile'],
    read: () => {
      if (delays === null) {
        delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
        delays.enable()
        return []
      }
      const samples = [50, 99, 100].map((percent) => ({
        labels: { quantile: String(percent / 100) },
        value: Math.max(0, (delays?.percentile(percent) ?? 0) / NANOSECONDS_PER_SECOND - DELAY_RESOLUTION_MS / 1000),
      }))
      delays.reset()
      return samples
    },
  })
  collectors.gauge({
    name: 'tandem_event_loop_utilization',
    help: 'Share of the time since the last scrape in which the event loop was busy, from 0 to 1',
    read: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return [{ value: utilization }]
    },
  })
  collectors.gauge({
    name: 'tandem_process_resident_bytes',
    help: 'Resident memory of the process',
    read: () => [{ value: process.memoryUsage.rss() }],
  })
  collectors.counter({
    name: 'tandem_process_cpu_seconds_total',
    help: 'CPU time of the process',
    read: () => {
      const { user, system } = process.cpuUsage()
      return [{ value: (user + system) / 1e6 }]
    },
  })
}
