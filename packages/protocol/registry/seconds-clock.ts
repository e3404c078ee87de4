/** Contracts of some chains compare with block timestamps. Their clock and the durations that follow from it are here. */
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

export const localChain = {
  requiredConfirmations: 1,
  finalityBlocks: 12,
  margins: { claimSeconds: 15n, reorgSeconds: 15n, feeSpikeSeconds: 15n },
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 6n,
} as const satisfies Partial<Chain>

/** A local chain mines every second, and on demand. */
export const localSecondsChain = {
  ...localChain,
  deposits: { kind: 'exact' },
  needsHtlcContract: true,
  blockMs: 1000n,
  blockBoundsMs: { fastest: 1n, slowest: 1000n },
  heightsMaySkip: false,
  usualReorgBlocks: 3,
  clock: { unit: 'seconds', expiry: 'relative', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 10n },
  timelocks: { source: 1200n, destination: 180n },
  fundingWindowSeconds: 3600n,
} as const satisfies Partial<Chain>
