/** What an engine tells with its lease. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** As JSON: heights and times are decimal strings. */
export type EngineReport = {
  /** How long the work of existing orders waits for the engine. */
  readonly waitMs: number
  readonly chains: Readonly<Record<ChainId, ReportedChain>>
}

export type ReportedChain = {
  readonly tip: { readonly height: string; readonly hash: string; readonly parentHash: string; readonly time: string } | null
  readonly recordedHeight: string | null
  readonly isLeasedElsewhere: boolean
  readonly isHealthy: boolean
  readonly silentMs: number | null
  readonly isToldOfBlocks: boolean
}
