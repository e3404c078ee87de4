/**
 * What a transaction of ours has for a purpose. Everything is built again from the purpose; what the purpose leaves open is read from the transaction, and
 * nothing of ours depends on it.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Address, Instruction, ReadonlyUint8Array } from '@solana/kit'
import type { OrderAction, SignedVerb, WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { initiateCodec, redeemCodec } from '../contract/client/codecs.ts'
import { consentMessage, readConsent } from '../contract/client/consent.ts'
import { closeOrder } from '../contract/client/instructions.ts'
import { computeBudgetProgram, ed25519Program } from '../contract/client/programs.ts'
import { parseAddress } from '../terms/address.ts'
import { initiateDepositedInstruction, returnDepositInstruction } from '../terms/deposit.ts'
import type { SentVerb } from '../terms/fees/fees.ts'
import { type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import {
  creationFor,
  initiateInstruction,
  instantRefundInstructions,
  redeemInstructions,
  refundInstructions,
} from '../terms/instructions.ts'
import { coinTransfer, transferInstructions } from './send/transfer-instructions.ts'

/** `fee` names the maximum of its fee. */
export type Form = { readonly fee: SentVerb | 'relay'; readonly instructions: readonly Instruction[] }

type Sent = {
  readonly contract: HtlcContract
  /** Our account pays the fee. */
  readonly account: Address
  readonly terms: HtlcTerms
  readonly gas: bigint | null
  readonly instructions: readonly Instruction[]
  /** This is the first instruction of the HTLC program. */
  readonly call: Instruction
}

/** We cancel by waiting for the expiry, and sign no fill. */
const FORMS: Readonly<Partial<Record<SignedVerb, (sent: Sent) => readonly Form[]>>> = {
  initiate: initiations,
  relay: relays,
  redeem: redeems,
  refund: ({ contract, account, terms }) => [
    { fee: 'refund', instructions: refundInstructions(contract, terms, creatorFor(terms.initiator, account)) },
  ],
  'instant-refund': instantRefunds,
  // The deadline is part of the address that pays, where nothing of ours is.
  reclaim: ({ contract, terms, call }) =>
    timesIn(call).map((deadline) => ({ fee: 'reclaim', instructions: [returnDepositInstruction(contract, { terms, deadline })] })),
  close: closes,
}

export function formsOf(contract: HtlcContract, account: Address, { verb, terms, gas }: OrderAction, instructions: readonly Instruction[]) {
  const call = instructions.find(({ programAddress }) => programAddress === contract.program)
  if (call === undefined) return []
  return FORMS[verb]?.({ contract, account, terms, gas: gas ?? null, instructions, call }) ?? []
}

/** The recipient's token account may be missing. */
export function formsOfTransfer(mint: Address | null, account: Address, { recipient, amount }: WithdrawPurpose): readonly Form[] {
  const transfer = { sender: account, recipient: parseAddress(recipient), amount }
  return [false, true].map((createsAccount) => ({
    fee: 'transfer',
    instructions: transferInstructions(mint, { ...transfer, createsAccount }),
  }))
}

/** The refund must come back to us, because we pay. The redeemer's token account may be missing. */
function initiations({ contract, account, terms, call }: Sent): readonly Form[] {
  if (terms.initiator !== account) return []
  return timesIn(call).flatMap((initiateBefore) => {
    const lock = initiateInstruction(contract, terms, { funder: account, rentPayer: account, initiateBefore })
    const creation = creationFor(contract, parseAddress(terms.redeemer), account)
    return [[lock], [...creation, lock]].map((instructions) => ({ fee: 'initiate', instructions }) as const)
  })
}

/** The initiator or a deposit pays the amount, and we the rent. Who pays with our account does not relay. */
function relays({ contract, account, terms, call }: Sent): readonly Form[] {
  const isSignedByUser = contract.mint !== null && terms.initiator !== account
  return timesIn(call).flatMap((deadline) => {
    const fromDeposit = initiateDepositedInstruction(contract, { terms, deadline }, account)
    const initiation = { funder: parseAddress(terms.initiator), rentPayer: account, initiateBefore: deadline }
    const byUser: Form = { fee: 'relay', instructions: [initiateInstruction(contract, terms, initiation)] }
    return [{ fee: 'initiate', instructions: [fromDeposit] }, ...(isSignedByUser ? [byUser] : [])] as const
  })
}

/** The gas may be left out, if the recipient cannot take it. A payout of SOL is its own gas. */
function redeems({ contract, account, terms, gas, call: { data } }: Sent): readonly Form[] {
  if (data?.length !== redeemCodec.fixedSize) return []
  const secret = bytesToHex(Uint8Array.from(redeemCodec.decode(data).secret))
  if (!isSecretFor(secret, terms.secretHash)) return []
  const redeem = redeemInstructions(contract, terms, secret, creatorFor(terms.redeemer, account))
  const recipient = parseAddress(terms.redeemer)
  const withGas = gas === null || contract.mint === null ? [] : [[...redeem, coinTransfer({ sender: account, recipient, amount: gas })]]
  return [redeem, ...withGas].map((instructions) => ({ fee: 'redeem', instructions }))
}

/** The Ed25519 program verifies the redeemer's signature, and ours that the consent is for the present initiation. */
function instantRefunds({ contract, account, terms, instructions }: Sent): readonly Form[] {
  const shown = instructions.find(({ programAddress }) => programAddress === ed25519Program)
  const consent = readConsent(shown?.data ?? new Uint8Array())
  if (consent === null) return []
  const message = consentMessage(parseAddress(swapIdOf(contract, terms)), consent.initiation)
  const signed = { message, signature: Uint8Array.from(consent.signature) }
  return [{ fee: 'refund', instructions: instantRefundInstructions(contract, terms, signed, creatorFor(terms.initiator, account)) }]
}

/** The program pays the rent to nobody but its payer, which only the order's account names: a user or a stranger may have paid it. */
function closes({ contract, terms, call: { accounts = [] } }: Sent): readonly Form[] {
  const [, rentPayer] = accounts
  const order = parseAddress(swapIdOf(contract, terms))
  // They pay no rent, and no message writes to a program that it calls.
  if (rentPayer === undefined || [order, contract.program, computeBudgetProgram].includes(rentPayer.address)) return []
  return [{ fee: 'close', instructions: [closeOrder(contract.program, order, rentPayer.address)] }]
}

/** We create a token account for nobody but ourselves: its owner could close it, keep the rent, and repeat this. */
function creatorFor(payee: string, account: Address): Address | null {
  return payee === account ? account : null
}

/** Until then the instruction can lock or return money. The result is empty for an instruction that names no time. A return has the same first fields as an initiation. */
function timesIn({ data = new Uint8Array() }: { readonly data?: ReadonlyUint8Array }): readonly bigint[] {
  return data.length < initiateCodec.fixedSize ? [] : [initiateCodec.decode(data).initiateBefore]
}
