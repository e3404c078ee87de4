/** What an engine tells with its lease, as JSON: heights and times are decimal strings. */
import { boolean, mapOf, nullable, number, shape, text, type ValueOf } from '../database/columns.ts'

const reportedChain = shape({
  tip: nullable(shape({ height: text, hash: text, parentHash: text, time: text })),
  recordedHeight: nullable(text),
  isLeasedElsewhere: boolean,
  isHealthy: boolean,
  silentMs: nullable(number),
  isToldOfBlocks: boolean,
})
export type ReportedChain = ValueOf<typeof reportedChain>

export const engineReport = shape({
  /** How long the work of existing orders waits for the engine. */
  waitMs: number,
  /** The keys are ids of chains. */
  chains: mapOf(reportedChain),
})
export type EngineReport = ValueOf<typeof engineReport>
