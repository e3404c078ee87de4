/** Whether there is enough time to redeem. */

import { verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { leastSeconds } from '@tandem/protocol/timelock.ts'

/** A secret that is shown too late pays the solver on both sides. */
export function verifyTimeLeft(chain: Chain, unitsLeft: bigint): void {
  verifyThat(
    isInTime(chain, unitsLeft),
    'destination_swap.timelock',
    `more than ${neededSeconds(chain)} seconds left`,
    `${secondsLeft(chain, unitsLeft)} seconds`,
  )
}

export function isInTime(chain: Chain, unitsLeft: bigint): boolean {
  return secondsLeft(chain, unitsLeft) > neededSeconds(chain)
}

function neededSeconds({ margins: { claimSeconds, feeSpikeSeconds } }: Chain): bigint {
  return claimSeconds + feeSpikeSeconds
}

function secondsLeft({ clock }: Chain, unitsLeft: bigint): bigint {
  return leastSeconds(clock, unitsLeft > 0n ? unitsLeft : 0n)
}
