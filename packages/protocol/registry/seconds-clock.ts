/** The clock of chains whose contracts compare with block timestamps, and the durations that follow from it. */
import type { Chain } from '../chain.ts'

const HOUR = 3600n

/** Contracts count seconds of block timestamps. The slack is for a sequencer outage; the reorg margin is over two Ethereum epochs. */
export const secondsClock = {
  clock: { unit: 'seconds', expiry: 'relative', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 900n },
  margins: { claimSeconds: 600n, reorgSeconds: 900n, feeSpikeSeconds: 900n },
  timelocks: { source: 24n * HOUR, destination: 2n * HOUR },
  fundingWindowSeconds: HOUR,
  haltSeconds: 600n,
  heightsMaySkip: false,
  deposits: { kind: 'exact' },
  needsHtlcContract: true,
} as const satisfies Partial<Chain>
