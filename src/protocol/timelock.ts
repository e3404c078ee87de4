/**
 * Timelocks: the source side must outlive the destination side in wall-clock time even when the source chain
 * runs as fast, and the destination chain as slow, as they plausibly can.
 *
 *   source       |================ source timelock, at its FASTEST ================|
 *   destination       |== destination timelock, at its SLOWEST ==|
 *                                                                |- claim -|- reorg -|- fee -|   < source end
 *                     ^ solver initiates                         ^ last moment the secret can appear
 *
 * Whoever learns the secret at that last moment still has the three margins of the source chain to redeem there.
 */

import { divideRoundingUp } from './amount.ts'
import type { Chain, ChainClock } from './chain.ts'
import { TandemError } from './error.ts'

/** Rounded down: time that is certainly left. */
export function leastSeconds(clock: ChainClock, units: bigint): bigint {
  return (units * clock.fastestMs) / 1000n
}

/** Rounded up, with the slack: time after which it has certainly passed. */
export function mostSeconds(clock: ChainClock, units: bigint): bigint {
  return divideRoundingUp(units * clock.slowestMs, 1000n) + clock.slackSeconds
}

/** Seconds by which the source outlives the destination, its own margins included. Positive means safe. */
export function timelockGapSeconds(source: Chain, sourceUnitsLeft: bigint, destination: Chain, destinationTimelock: bigint): bigint {
  const { claimSeconds, reorgSeconds, feeSpikeSeconds } = source.margins
  return (
    leastSeconds(source.clock, sourceUnitsLeft) -
    mostSeconds(destination.clock, destinationTimelock) -
    (claimSeconds + reorgSeconds + feeSpikeSeconds)
  )
}

/** Throws unless the pair's full timelocks are safe. What is left of them is checked again when the solver initiates. */
export function assertTimelocksSafe(source: Chain, destination: Chain): void {
  const gap = timelockGapSeconds(source, source.timelocks.source, destination, destination.timelocks.destination)
  if (gap <= 0n) {
    throw new TandemError('unsupported_pair', `timelocks of ${source.id} → ${destination.id} are not safe: short by ${1n - gap} seconds`)
  }
}
