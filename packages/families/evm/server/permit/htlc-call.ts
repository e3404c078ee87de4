/**
 * What an account of ours may call for an order, on all chains with our Solidity HTLC: the HTLC about this order, and its token to approve that HTLC. Only
 * our own initiation takes the account's money, by exactly the terms; gas for a recipient takes what the order says.
 */
import type { OrderAction, OrderPurpose, SignedVerb } from '@tandem/keys/purpose.ts'
import type { Address, Hex } from 'viem'
import type { AllowanceOf } from '../../terms/allowance.ts'
import { approvedAmount } from '../../terms/approval-call.ts'
import { type Contracts, type HtlcContract, swapIdOf } from '../../terms/htlc.ts'
import { type CalledOrder, readHtlcCall } from '../../terms/read-call.ts'

/** `to` null would make a contract. */
export type SignedCall = { readonly to: Address | null; readonly data: Hex; readonly value: bigint }

/** No other function takes part in our swaps. */
export type Functions = Readonly<Partial<Record<SignedVerb, readonly string[]>>>

export type HtlcRules = {
  readonly contracts: Contracts
  readonly functions: Functions
  /** The highest allowance for an order, in units of the token. */
  readonly maxAllowance: AllowanceOf
}

/** Null means that the call serves the purpose. The terms are as the contract knows them. */
export function whyNotHtlcCall(
  { contracts, functions, maxAllowance }: HtlcRules,
  account: Address,
  { actions }: OrderPurpose,
  call: SignedCall,
): string | null {
  const [{ verb, terms }] = actions
  const contract = contracts.of(terms.asset)
  if (contract.token !== null && call.to === contract.token) return whyNotToken(contract, verb, call, maxAllowance(terms))
  if (call.to !== contract.address) return `it would call ${call.to}, which is neither the HTLC of ${terms.asset} nor its token`
  const read = readHtlcCall(call.data, account)
  if (read === null) return 'its calldata is not that of a call of the HTLC'
  if (functions[verb]?.includes(read.name) !== true) return `it would call "${read.name}" of the HTLC`
  const known = new Set(
    actions.filter((action) => action.verb === verb).map((action) => swapIdOf(contracts.of(action.terms.asset), action.terms)),
  )
  const isKnown = (order: CalledOrder) => known.has(swapIdOf(contract, { ...order, asset: terms.asset }))
  // A fee bump of a batch may be for those of its orders that are not settled yet. All have the same redeemer.
  if (!(read.name === 'redeemBatch' ? read.orders.some(isKnown) : read.orders.every(isKnown)))
    return 'it would be about an order that is not named'
  // Its own transaction is the redeemer's consent. The order of the call counts: it need not be the first that the purpose names.
  if (read.name === 'instantRefund' && verb === 'refund' && read.orders.some(({ redeemer }) => account === redeemer.toLowerCase()))
    return 'it would give up what we are to redeem'
  const most = highestValue(contract, read.name, actions[0])
  return call.value > most ? `it would send ${call.value} of the coin, and may send ${most}` : null
}

/** It frees a nonce. */
export function isNoop({ to, data, value }: SignedCall, account: Address): boolean {
  return to === account && data === '0x' && value === 0n
}

function whyNotToken({ address }: HtlcContract, verb: SignedVerb, { data, value }: SignedCall, most: bigint): string | null {
  const approved = approvedAmount(data, address)
  if (verb !== 'initiate' || value !== 0n || approved === null)
    return 'it would call the token, and not to approve the HTLC for an initiation'
  return approved > most ? `it would approve ${approved}, and may approve ${most}` : null
}

function highestValue({ token }: HtlcContract, name: string, { verb, terms, gas }: OrderAction): bigint {
  if (verb === 'initiate' && token === null) return terms.amount
  return name === 'redeemOfferingCoinForGas' ? (gas ?? 0n) : 0n
}
