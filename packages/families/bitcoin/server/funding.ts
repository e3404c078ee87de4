/** A swap is funded by a plain deposit to the address of the HTLC. */
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { htlcOf } from '../terms/htlc.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'

export function fundingOf(terms: HtlcTerms, network: BitcoinNetwork): Funding {
  return { kind: 'deposit', to: htlcOf(terms, network).address, amount: terms.amount }
}
