/** Builds HTLCs in a worker thread when many are asked for at once: each takes milliseconds, and the event loop stands still meanwhile. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { jobsOf } from '@tandem/runtime/workers/jobs.ts'
import { buildHtlc, cacheHtlc, isHtlcCached } from '../terms/htlc.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'

export const jobs = { build: buildHtlc }

const run = jobsOf<typeof jobs>(import.meta.url)

/** So many a second are left to the caller: starting a thread costs more. */
const FEW_PER_SECOND = 8

export type DeriveHtlc = (terms: HtlcTerms, network: BitcoinNetwork) => Promise<void>

/** Afterwards `htlcOf` of these terms is cached, unless few are asked for. */
export function createHtlcDeriver(nowMs: () => number = () => performance.now()): DeriveHtlc {
  let second = { startedAtMs: Number.NEGATIVE_INFINITY, count: 0 }

  function areMany(): boolean {
    if (nowMs() - second.startedAtMs >= 1000) second = { startedAtMs: nowMs(), count: 0 }
    second.count += 1
    return second.count > FEW_PER_SECOND
  }

  return async (terms, network) => {
    if (isHtlcCached(terms, network) || !areMany()) return
    cacheHtlc(terms, network, await run('build', [terms, network]))
  }
}
