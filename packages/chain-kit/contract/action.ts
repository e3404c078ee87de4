/** Describes one call of an HTLC contract, and tells whether the contract's state still allows the call. */
import type { HtlcTerms, HtlcVerb } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { ChainFailure } from '../port/failure.ts'

export type ContractAction<Call> = {
  readonly verb: HtlcVerb
  /** Its addresses have the same form as the executor's sender. */
  readonly terms: HtlcTerms
  readonly call: Call
  /** The sender pays the amount itself; a token then needs an allowance for it. */
  readonly paysAmount: boolean
  /** After this many reverts we stop paying for a relay. */
  readonly revertsPaidFor?: number
}

/** `settled` means redeemed or refunded, on chains that do not remember which. */
export type HtlcState = 'absent' | 'open' | 'redeemed' | 'refunded' | 'settled'

/** In a relay we send somebody else's initiation and pay its network fee. */
export function isRelay({ verb, paysAmount }: Pick<ContractAction<unknown>, 'verb' | 'paysAmount'>): boolean {
  return verb === 'initiate' && !paysAmount
}

/** A redeem pays the redeemer and a refund pays the initiator, no matter who sends the call. */
export function payeeOf({ verb, terms }: Pick<ContractAction<unknown>, 'verb' | 'terms'>): string {
  return verb === 'redeem' ? terms.redeemer : terms.initiator
}

/** Null means that the call can succeed. */
export function obstacleTo(action: Pick<ContractAction<unknown>, 'verb' | 'paysAmount'>, state: HtlcState): ChainFailure | null {
  const { verb } = action
  const needed: HtlcState = verb === 'initiate' ? 'absent' : 'open'
  if (state === needed) return null
  if (state === 'absent') return new ChainFailure('would-fail', `${verb}: the swap is not initiated on the chain`)
  // `superseded` would make the caller read the chain again, which does not help: nobody has initiated it for us.
  if (state === 'refunded' && isRelay(action)) {
    const refusal = 'refunded, or revoked by its initiator; make a new order'
    return new ChainFailure('would-fail', `${verb}: the swap is ${refusal}`, { refusal })
  }
  return new ChainFailure('superseded', `${verb}: the swap is ${state} on the chain`)
}

/** The contract pays only the payee of the terms. Both addresses are in the family's canonical form. */
export function assertPayee(to: string | null, payee: string): void {
  if (to !== null && to !== payee) throw new ChainFailure('would-fail', `the HTLC pays ${payee} and cannot pay ${to}`)
}

/** It must be called before any node sees the secret. */
export function assertSecret(secret: string, { secretHash }: HtlcTerms): void {
  if (!isSecretFor(secret, secretHash.toLowerCase()))
    throw new ChainFailure('would-fail', 'redeem: the secret does not match the secret hash')
}
