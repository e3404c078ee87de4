/** Builds HTLCs in a worker thread under load: each takes milliseconds, which would block the event loop. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { jobsOf } from '@tandem/runtime/workers/jobs.ts'
import { buildHtlc, cacheHtlc, isHtlcCached } from '../terms/htlc.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'

export const jobs = { build: buildHtlc }

const run = jobsOf<typeof jobs>(import.meta.url)

/** Below this rate the caller builds HTLCs itself: starting a thread costs more. */
const MIN_PER_SECOND_FOR_WORKER = 8

export type DeriveHtlc = (terms: HtlcTerms, network: BitcoinNetwork) => Promise<void>

/** Afterwards `htlcOf` of these terms is cached, unless the load is low. */
export function createHtlcDeriver(nowMs: () => number = () => performance.now()): DeriveHtlc {
  let second = { startedAtMs: Number.NEGATIVE_INFINITY, count: 0 }

  function isUnderLoad(): boolean {
    if (nowMs() - second.startedAtMs >= 1000) second = { startedAtMs: nowMs(), count: 0 }
    second.count += 1
    return second.count > MIN_PER_SECOND_FOR_WORKER
  }

  return async (terms, network) => {
    if (isHtlcCached(terms, network) || !isUnderLoad()) return
    cacheHtlc(terms, network, await run('build', [terms, network]))
  }
}
