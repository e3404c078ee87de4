/** Makes evidence for tests of a party alone, as if the executor had read the chains. */
import type { Evidence, LegEvidence } from './evidence.ts'

const leg: LegEvidence = { tip: { height: 1n, time: 0n }, events: [], reading: null, asOfMs: 0 }

export const testEvidence = { legs: { source: leg, destination: leg } } as unknown as Evidence
