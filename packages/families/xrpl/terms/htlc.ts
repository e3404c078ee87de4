/** Computes the escrow of a swap from its terms: its condition, its fields and the swap id. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { assertInitiator, partyOf } from './address.ts'

/** An escrow is ours by these fields: the chain knows nothing else of it, except its sequence. */
export type Escrow = {
  readonly owner: string
  readonly destination: string
  readonly tag: number | null
  readonly amount: bigint
  readonly condition: string
  readonly cancelAfter: bigint
}

// draft-thomas-crypto-conditions-04 defines PREIMAGE-SHA-256 in DER. The cost of a condition is the length of its preimage: 32 bytes, and
// no other.
const CONDITION = { before: 'A0258020', after: '810120' } as const
const FULFILLMENT = 'A0228020'

export function conditionOf(secretHash: Hex32): string {
  return `${CONDITION.before}${secretHash.toUpperCase()}${CONDITION.after}`
}

export function secretHashIn(condition: string): Hex32 | null {
  const { before, after } = CONDITION
  return new RegExp(`^${before}([0-9A-F]{64})${after}$`).exec(condition)?.[1]?.toLowerCase() ?? null
}

export function fulfillmentOf(secret: Hex32): string {
  return `${FULFILLMENT}${secret.toUpperCase()}`
}

/**
 * The preimage is at the end, and its hash must be compared. The bytes before it are not fixed: nodes accept lengths in longer forms than
 * needed, so a party that knows the secret can choose among several fulfillments.
 */
export function secretIn(fulfillment: string): Hex32 | null {
  return /[0-9A-F]{64}$/.exec(fulfillment)?.[0].toLowerCase() ?? null
}

/** The ledger's epoch begins on 1 January 2000. */
const RIPPLE_EPOCH = 946_684_800n

export function toRippleTime(unixSeconds: bigint): number {
  return Number(unixSeconds - RIPPLE_EPOCH)
}

export function fromRippleTime(rippleSeconds: bigint): bigint {
  return rippleSeconds + RIPPLE_EPOCH
}

/** The timelock counts from `from`, in unix seconds. */
export function escrowOf(terms: HtlcTerms, from: bigint): Escrow {
  const { account: destination, tag } = partyOf(terms.redeemer)
  const condition = conditionOf(terms.secretHash)
  return { owner: terms.initiator, destination, tag, amount: terms.amount, condition, cancelAfter: from + terms.timelock }
}

/**
 * The owner can cancel at this time, in unix seconds of the newest ledger. The chain compares CancelAfter with the close time of the
 * parent ledger, and a finish is possible at an equal time, so a cancel is possible one second later. Both are never possible at the same
 * time.
 */
export function expiryOf({ cancelAfter }: Pick<Escrow, 'cancelAfter'>): bigint {
  return cancelAfter + 1n
}

/** Two escrows have the same key if either could be the HTLC of one swap: CancelAfter may be any. */
export function escrowKey({ owner, destination, tag, amount, condition }: Omit<Escrow, 'cancelAfter'>): string {
  return `${owner} ${destination} ${tag ?? ''} ${amount} ${condition}`
}

export function isEscrowOf(terms: HtlcTerms, escrow: Escrow): boolean {
  return escrowKey(escrowOf(terms, 0n)) === escrowKey(escrow)
}

const ID_TAG = 'tandem xrpl escrow 1'

/**
 * Each part has its length before it, so that no two lists of parts are the same text. Neither the sequence nor CancelAfter is known to
 * all parties at first.
 */
export function swapIdOf(chain: ChainId, terms: HtlcTerms): SwapId {
  const { initiator, redeemer, amount, secretHash, timelock } = terms
  assertInitiator(initiator, null)
  const parts = [ID_TAG, chain, initiator, redeemer, amount.toString(), secretHash.toLowerCase(), timelock.toString()]
  return bytesToHex(sha256(utf8ToBytes(parts.map((part) => `${utf8ToBytes(part).length}:${part}`).join(','))))
}

export type EscrowId = { readonly owner: string; readonly sequence: bigint }

export function depositOf({ owner, sequence }: EscrowId): string {
  return `${owner}:${sequence}`
}

export function parseDeposit(deposit: string): EscrowId {
  const [, owner, sequence] = /^(r\w{24,34}):(\d{1,10})$/.exec(deposit) ?? []
  if (owner === undefined || sequence === undefined) throw new Error(`"${deposit}" is not the id of an escrow`)
  return { owner, sequence: BigInt(sequence) }
}

/**
 * No node is needed: the wallet adds the sequence and the fee. The timelock counts from the deadline, so all of it remains if the user pays
 * in time.
 */
export function fundingOf({ terms, deadline, payer }: FundingRequest): Funding<'escrow'> {
  assertInitiator(terms.initiator, payer)
  const { owner, destination, tag, amount, condition, cancelAfter } = escrowOf(terms, deadline)
  return { kind: 'escrow', account: owner, destination, tag, amount, condition, cancelAfter: toRippleTime(cancelAfter) }
}
