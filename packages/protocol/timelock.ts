/**
 * Timelocks: the source side must outlive the destination side in wall-clock time even when the source chain
 * runs as fast, and the destination chain as slow, as they plausibly can.
 *
 *   source       |========================= source timelock, at its FASTEST =========================|
 *   destination     |- initiate -|== destination timelock, at its SLOWEST ==|- refund -|
 *                                                                                      |- redeem -|   < source end
 *                   ^ solver decides                                                   ^ last moment the secret can appear
 *
 * Each |- action -| may take as long as the three margins of its chain together:
 *   initiate   the destination timelock starts only when the initiation is mined, and a broadcast initiation cannot always be cancelled.
 *   refund     until the solver's refund is mined, the user can still redeem, which shows the secret.
 *   redeem     if the solver learns the secret at that last moment, it still has time to redeem the source.
 */

import { divideRoundingUp } from './amount.ts'
import type { Block, Chain, ChainClock } from './chain.ts'
import { TandemError } from './error.ts'

export function countsHeight(clock: ChainClock): boolean {
  return clock.unit === 'blocks' || clock.unit === 'slots'
}

/** The result is the chain's clock after its newest block. A refund by height may be in the next block, so that block counts. */
export function clockAfter({ height, time }: Pick<Block, 'height' | 'time'>, clock: ChainClock): bigint {
  return countsHeight(clock) ? height + 1n : timeIn(time, clock)
}

/** An initiation in this block expires at this time by its terms. Returns null while it is unconfirmed, or if the expiry is absolute. */
export function expiryOf(timelock: bigint, block: Pick<Block, 'height' | 'time'> | null, clock: ChainClock): bigint | null {
  if (clock.expiry === 'absolute' || block === null) return null
  return (countsHeight(clock) ? block.height : timeIn(block.time, clock)) + timelock
}

/** Block times are whole seconds, so milliseconds are exact to one second, which is far within every margin. */
export function timeIn(seconds: bigint, clock: ChainClock): bigint {
  return clock.unit === 'milliseconds' ? seconds * 1000n : seconds
}

/** Returns a text such as 'in 90 seconds' or 'after 12 more blocks'. */
export function describeUnits(clock: ChainClock, units: bigint): string {
  if (countsHeight(clock)) return `after ${units} more ${clock.unit}`
  return `in ${clock.unit === 'milliseconds' ? divideRoundingUp(units, 1000n) : units} seconds`
}

/** At least this much time is left for the units, rounded down. */
export function minSeconds(clock: ChainClock, units: bigint): bigint {
  return (units * clock.fastestMs) / 1000n
}

/** After this time, which is rounded up and includes the slack, the units have certainly passed. */
export function maxSeconds(clock: ChainClock, units: bigint): bigint {
  return divideRoundingUp(units * clock.slowestMs, 1000n) + clock.slackSeconds
}

export function actionSeconds({ margins }: Chain): bigint {
  return margins.claimSeconds + margins.reorgSeconds + margins.feeSpikeSeconds
}

/** Positive means that it is safe if the solver decides now to initiate. All margins are included. */
export function timelockGapSeconds(source: Chain, sourceUnitsLeft: bigint, destination: Chain, destinationTimelock: bigint): bigint {
  return (
    minSeconds(source.clock, sourceUnitsLeft) -
    maxSeconds(destination.clock, destinationTimelock) -
    2n * actionSeconds(destination) -
    actionSeconds(source)
  )
}

/** If the result is positive, a destination that is initiated now with this many units until expiry can be redeemed in time. */
export function revealRoomSeconds(destination: Chain, units: bigint): bigint {
  const { claimSeconds, feeSpikeSeconds } = destination.margins
  return minSeconds(destination.clock, units) - actionSeconds(destination) - claimSeconds - feeSpikeSeconds
}

/** Throws unless the pair's full timelocks are safe. The time left is checked again when the solver initiates. */
export function assertTimelocksSafe(source: Chain, destination: Chain): void {
  const gap = timelockGapSeconds(source, source.timelocks.source, destination, destination.timelocks.destination)
  if (gap <= 0n) {
    throw new TandemError(
      'unsupported_pair',
      `${source.id} cannot be swapped to ${destination.id}: the timelock of the source must outlast that of the destination with all margins, and is ${1n - gap} seconds too short`,
    )
  }
}
