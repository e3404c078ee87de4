/** The overview of the whole service is read at most every two seconds for all callers. */
import { performance } from 'node:perf_hooks'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { ChainStatus } from '@tandem/party/engine/engine-report.ts'
import { readChainFigures } from '@tandem/party/metrics/chain-figures.ts'
import type { ServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import { poolStateOf } from '@tandem/party/store/database/database.ts'
import { countByStatus, type InProgressSum, inProgressStatuses, sumInProgress } from '@tandem/party/store/operator-view/in-progress.ts'
import type { Halt } from '@tandem/party/store/solver/halts.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type OrderStatus, orderStatuses } from '@tandem/protocol/state.ts'
import type { ChainRecord, HaltRecord, OrderRowRecord, OverviewRecord, SolverRecord } from '@tandem/protocol/wire/operator.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from '../context.ts'
import { timeOf } from './explain.ts'
import type { RecentProblems } from './recent-problems.ts'

const CACHE_MS = 2_000
const MILLIONTHS = 1_000_000

export type OrderFigures = {
  readonly counts: Readonly<Record<OrderStatus, number>>
  readonly sums: readonly InProgressSum[]
  readonly stuck: number
}

export function createOrderFigures(
  { db }: Pick<ServiceContext, 'db'>,
  readRows: () => Promise<readonly OrderRowRecord[]>,
): () => Promise<OrderFigures> {
  const kept = createTtlCache<OrderFigures>({ keepMs: CACHE_MS, maxEntries: 1 })
  return () =>
    kept.get('', async () => {
      const [counts, sums, rows] = await Promise.all([countByStatus(db, orderStatuses), sumInProgress(db), readRows()])
      const all = Object.fromEntries(orderStatuses.map((status) => [status, counts.get(status) ?? 0])) as Record<OrderStatus, number>
      return { counts: all, sums, stuck: rows.filter(({ stuck }) => stuck !== null).length }
    })
}

export function createOverviewReader(
  context: ServiceContext,
  parts: OperatorParts,
  readFigures: () => Promise<OrderFigures>,
): () => Promise<OverviewRecord> {
  const kept = createTtlCache<OverviewRecord>({ keepMs: CACHE_MS, maxEntries: 1 })
  const startedAt = new Date(Date.now() - performance.now()).toISOString()
  let busyBefore = performance.eventLoopUtilization()

  function busyPercent(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, busyBefore)
    busyBefore = now
    return Math.round(utilization * 1000) / 10
  }

  async function read(): Promise<OverviewRecord> {
    const [{ counts, sums, stuck }, halts] = await Promise.all([readFigures(), context.operatorHalts.list()])
    return {
      at: new Date().toISOString(),
      started_at: startedAt,
      chains: describeChains(context, parts, halts),
      solvers: describeSolvers(context, sums),
      halts: halts.map(describeHalt),
      counts,
      in_progress: inProgressStatuses.reduce((sum, status) => sum + counts[status], 0),
      in_progress_usd: formatUsd(sums.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)),
      stuck,
      problems: { warn: parts.problems.counts.warn, error: parts.problems.counts.error + parts.problems.counts.fatal },
      process: {
        admits_orders: context.admits('order'),
        event_loop_percent: busyPercent(),
        memory_megabytes: Math.round(process.memoryUsage.rss() / 1e6),
        database: poolStateOf(context.db),
        streams: context.events.count,
      },
    }
  }

  return () => kept.get('', read)
}

function describeHalt({ scope, reason, since }: Halt): HaltRecord {
  return { scope, reason, since: timeOf(since) }
}

function describeChains({ registry, now }: ServiceContext, parts: OperatorParts, halts: readonly Halt[]): readonly ChainRecord[] {
  return readChainFigures({ chains: registry.chains, now, ...parts }).map(({ chain, status, behind, blockAgeSeconds, providers }) => {
    const halt = halts.find(({ scope }) => scope === chain.id)
    return {
      chain: chain.id,
      name: chain.displayName,
      height: status.tip?.height.toString() ?? null,
      behind,
      block_age_seconds: blockAgeSeconds,
      block_seconds: Number(chain.blockMs) / 1000,
      halt_seconds: Number(chain.haltSeconds),
      silent_seconds: status.silentMs === null ? null : Math.round(status.silentMs / 1000),
      healthy: status.isHealthy,
      problem: status.problem,
      halted: halt === undefined ? null : describeHalt(halt),
      watched_elsewhere: status.isLeasedElsewhere,
      told_of_blocks: status.isAnnounced,
      providers,
    }
  })
}

function describeSolvers({ pool }: ServiceContext, sums: readonly InProgressSum[]): readonly SolverRecord[] {
  return pool.members.map((member) => {
    const own = sums.filter(({ solverId }) => solverId === member.id)
    return {
      id: member.id,
      standing: member.standing(),
      reliability: pool.reliabilityOf(member.id) / MILLIONTHS,
      open_orders: own.reduce((sum, { orders }) => sum + orders, 0),
      exposure_usd: formatUsd(own.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)),
    }
  })
}

export type OperatorParts = {
  readonly relay: PublicKeyring
  readonly problems: RecentProblems
  readonly chainStatus: (chain: ChainId) => ChainStatus | null
  /** The URLs may contain API keys, so only their hosts are shown. */
  readonly nodes: Readonly<Record<ChainId, readonly string[]>>
  readonly metrics: ServiceMetrics
}
