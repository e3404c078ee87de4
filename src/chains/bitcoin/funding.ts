/** A swap is funded by a plain deposit to the address of the HTLC. */
import type { Funding } from '../../protocol/funding/funding.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { htlcOf } from './htlc.ts'
import type { BitcoinNetwork } from './networks.ts'

export function fundingOf(terms: HtlcTerms, network: BitcoinNetwork): Funding {
  return { kind: 'deposit', to: htlcOf(terms, network).address, amount: terms.amount }
}
