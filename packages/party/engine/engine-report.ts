/** The report of an engine to processes without one. It is written with the engine's lease. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { EngineReport, ReportedChain } from '../store/actions/engine-report.ts'
import type { WatcherStatus } from './chain-watcher.ts'

export type ChainStatus = WatcherStatus & {
  readonly isHealthy: boolean
  readonly silentMs: number | null
  readonly isAnnounced: boolean
}

export function reportOf(waitMs: number, chains: readonly ChainId[], statusOf: (chain: ChainId) => ChainStatus | null): EngineReport {
  const reported = chains.flatMap((chain) => {
    const status = statusOf(chain)
    return status === null ? [] : [[chain, describe(status)] as const]
  })
  return { waitMs: Math.round(waitMs), chains: Object.fromEntries(reported) }
}

/** The report leaves the problem out: it may quote the URL of a node, with the operator's API key. */
function describe({ tip, recordedHeight, isAnnounced, problem: _, ...rest }: ChainStatus): ReportedChain {
  return {
    ...rest,
    isToldOfBlocks: isAnnounced,
    tip: tip === null ? null : { height: String(tip.height), hash: tip.hash, parentHash: tip.parentHash, time: String(tip.time) },
    recordedHeight: recordedHeight === null ? null : String(recordedHeight),
  }
}

export function readReported({ tip, recordedHeight, isToldOfBlocks, ...rest }: ReportedChain): ChainStatus {
  return {
    ...rest,
    isAnnounced: isToldOfBlocks,
    tip: tip === null ? null : { ...tip, height: BigInt(tip.height), time: BigInt(tip.time) },
    recordedHeight: recordedHeight === null ? null : BigInt(recordedHeight),
    problem: rest.isHealthy ? null : 'the engine cannot read it; its log says why',
  }
}
