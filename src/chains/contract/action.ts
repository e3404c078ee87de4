/** One call of an HTLC contract for a swap, and whether it is still possible in the contract's state. */
import type { HtlcTerms, HtlcVerb } from '../../protocol/htlc.ts'
import { isSecretFor } from '../../protocol/secret.ts'
import { ChainFailure } from '../port/failure.ts'

export type ContractAction<Call> = {
  readonly verb: HtlcVerb
  /** With addresses in the same form as the executor's sender. */
  readonly terms: HtlcTerms
  readonly call: Call
  /** The sender pays the amount itself; a token then needs an allowance for it. */
  readonly paysAmount: boolean
  /** For a relay: after how many reverts we stop paying. */
  readonly revertsPaidFor?: number
}

/** The state of a swap in the contract. */
export type HtlcState = 'absent' | 'open' | 'redeemed' | 'refunded'

/** Somebody else's initiation, at our expense. */
export function isRelay({ verb, paysAmount }: Pick<ContractAction<unknown>, 'verb' | 'paysAmount'>): boolean {
  return verb === 'initiate' && !paysAmount
}

/** The contract pays a party of the terms, for any sender of the call. */
export function payeeOf({ verb, terms }: Pick<ContractAction<unknown>, 'verb' | 'terms'>): string {
  return verb === 'redeem' ? terms.redeemer : terms.initiator
}

/** Why there is nothing to send; null when there is. */
export function obstacleTo(verb: HtlcVerb, state: HtlcState): ChainFailure | null {
  const needed: HtlcState = verb === 'initiate' ? 'absent' : 'open'
  if (state === needed) return null
  if (state === 'absent') return new ChainFailure('would-fail', `${verb}: the swap is not initiated on the chain`)
  return new ChainFailure('superseded', `${verb}: the swap is ${state} on the chain`)
}

/** The contract pays the party of the terms and nobody else. Both in the family's canonical form. */
export function assertPayee(to: string | null, payee: string): void {
  if (to !== null && to !== payee) throw new ChainFailure('would-fail', `the HTLC pays ${payee} and cannot pay ${to}`)
}

/** Checked before any node sees the secret. */
export function assertSecret(secret: string, { secretHash }: HtlcTerms): void {
  if (!isSecretFor(secret, secretHash.toLowerCase()))
    throw new ChainFailure('would-fail', 'redeem: the secret does not match the secret hash')
}
