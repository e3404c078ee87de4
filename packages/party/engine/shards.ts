/**
 * Shares due orders among the engines of one database. Each engine holds a short lease; the shards go round robin to the living ones in the
 * order of their names. When an engine dies, its lease ends within seconds and the others get its shards. For a moment two engines may both
 * own a shard: then an order is derived twice, with the same result.
 */
import type { EngineReport } from '../store/actions/engine-report.ts'
import { leaseEngine } from '../store/actions/engines.ts'
import type { Database } from '../store/database/database.ts'
import { SHARDS } from '../store/orders/touched-orders.ts'
import { LEASE_RENEWAL_MS, LEASE_SECONDS } from './times.ts'

export interface Shards {
  /** Renews the lease when it is due. Call this at least every second. */
  own(): Promise<readonly number[]>
  /** At the last renewal there was no other engine. */
  isAlone(): boolean
  /** At the last renewal a process without an engine followed this one. */
  isFollowed(): boolean
}

export function createShards(
  db: Database,
  holder: string,
  report: () => EngineReport,
  nowMs: () => number = () => performance.now(),
): Shards {
  let own: readonly number[] = []
  let renewedAtMs: number | null = null
  let isAlone = false
  let isFollowed = false
  return {
    isAlone: () => isAlone,
    isFollowed: () => isFollowed,
    async own() {
      const askedAtMs = nowMs()
      if (renewedAtMs !== null && askedAtMs - renewedAtMs < LEASE_RENEWAL_MS) return own
      const engines = await leaseEngine(db, holder, LEASE_SECONDS, isFollowed ? report() : null)
      renewedAtMs = askedAtMs
      isAlone = engines.holders.length === 1
      isFollowed = engines.isFollowed
      own = shareOf(engines.holders, holder)
      return own
    },
  }
}

function shareOf(engines: readonly string[], holder: string): readonly number[] {
  const place = engines.toSorted().indexOf(holder)
  return Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => shard % engines.length === place)
}
