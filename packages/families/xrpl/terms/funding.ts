/** The escrow that funds a swap. No node is asked: the wallet adds the sequence and the fee. */

import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { assertInitiator } from './address.ts'
import { escrowOf, toRippleTime } from './htlc.ts'

/** The timelock counts from the deadline: whenever the user pays in time, all of it is left. */
export function fundingOf({ terms, deadline, payer }: FundingRequest): Funding<'escrow'> {
  assertInitiator(terms.initiator, payer)
  const { owner, destination, tag, amount, condition, cancelAfter } = escrowOf(terms, deadline)
  return { kind: 'escrow', account: owner, destination, tag, amount, condition, cancelAfter: toRippleTime(cancelAfter) }
}
