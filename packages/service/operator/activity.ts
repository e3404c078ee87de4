/** Swaps and volume over time, and the slowest steps. */

import { readStepTimes, readVolumes } from '@tandem/party/store/operator-view/activity.ts'
import { PERIOD_SECONDS } from '@tandem/party/store/order-list/order-counts.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import type { ActivityRecord } from '@tandem/protocol/wire/operator.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from '../context.ts'

/** Two weeks. */
const PERIODS = 56
const KEEP_MS = 10_000

export function createActivityReader({ db, now }: Pick<ServiceContext, 'db' | 'now'>): () => Promise<ActivityRecord> {
  const kept = createTtlCache<ActivityRecord>({ keepMs: KEEP_MS, maxEntries: 1 })

  async function read(): Promise<ActivityRecord> {
    const last = Math.floor(Number(now()) / PERIOD_SECONDS)
    const first = last - PERIODS + 1
    const [volumes, steps] = await Promise.all([readVolumes(db, first), readStepTimes(db)])
    const byPeriod = new Map(volumes.map((volume) => [volume.period, volume]))
    const periods = Array.from({ length: PERIODS }, (_, i) => {
      const volume = byPeriod.get(first + i)
      return {
        at: new Date((first + i) * PERIOD_SECONDS * 1000).toISOString(),
        swaps: volume?.swaps ?? 0,
        volume_usd: formatUsd(volume?.usdMicros ?? 0n),
      }
    })
    return {
      period_seconds: PERIOD_SECONDS,
      periods,
      steps: steps.map((step) => ({
        from: step.from,
        to: step.to,
        orders: step.orders,
        median_seconds: step.medianSeconds,
        p95_seconds: step.p95Seconds,
        slowest_seconds: step.slowestSeconds,
        slowest_order: step.slowestOrder,
      })),
    }
  }

  return () => kept.get('', read)
}
