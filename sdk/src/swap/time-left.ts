/** Whether there is enough time to redeem. */
import type { Chain } from '../../../src/protocol/chain.ts'
import { leastSeconds } from '../../../src/protocol/timelock.ts'
import { verifyThat } from '../verify/check.ts'

/** A secret that is shown too late pays the solver on both sides. */
export function verifyTimeLeft({ clock, margins: { claimSeconds, feeSpikeSeconds } }: Chain, unitsLeft: bigint): void {
  const seconds = leastSeconds(clock, unitsLeft > 0n ? unitsLeft : 0n)
  verifyThat(
    seconds > claimSeconds + feeSpikeSeconds,
    'destination_swap.timelock',
    `more than ${claimSeconds + feeSpikeSeconds} seconds left`,
    `${seconds} seconds`,
  )
}
