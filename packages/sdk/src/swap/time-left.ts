/** Says what the remaining time of a timelock allows. */

import { verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { maxSeconds, minSeconds } from '@tandem/protocol/timelock.ts'
import { now } from './context.ts'
import type { RefundTime } from './refund-time.ts'

/** A secret that is revealed too late pays the solver on both sides. */
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
  return minSeconds(clock, unitsLeft > 0n ? unitsLeft : 0n)
}

/** When the initiator can take a lock back, by the remaining units of its timelock. */
export function refundableAt({ clock }: Chain, unitsLeft: bigint): RefundTime {
  const start = Number(now())
  if (unitsLeft <= 0n) return { earliest: start, latest: start }
  return { earliest: start + Number(minSeconds(clock, unitsLeft)), latest: start + Number(maxSeconds(clock, unitsLeft)) }
}
