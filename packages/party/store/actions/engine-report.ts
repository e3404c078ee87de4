/** The report that an engine stores with its lease, as JSON. Heights and times are decimal strings. */
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
  waitMs: number,
  chains: mapOf(reportedChain),
})
export type EngineReport = ValueOf<typeof engineReport>
