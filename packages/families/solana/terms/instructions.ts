/** Builds instructions of the HTLC program for a swap, as pure functions of its terms. */
import { hexToBytes } from '@noble/hashes/utils.js'
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { associatedTokenAddress, orderAddress } from '../contract/client/addresses.ts'
import { consentInstruction } from '../contract/client/consent.ts'
import {
  initiateSol,
  initiateToken,
  instantRefundSol,
  instantRefundToken,
  redeemSol,
  redeemToken,
  refundSol,
  refundToken,
} from '../contract/client/instructions.ts'
import { instructionsSysvar, tokenProgram } from '../contract/client/programs.ts'
import { type HtlcContract, orderTermsOf } from './htlc.ts'

/** Wallets look for the tokens of an owner there. */
export function tokenAccountOf(owner: Address, mint: Address, ofMint = tokenProgram): Address {
  return associatedTokenAddress(owner, mint, ofMint)
}

type Initiation = {
  readonly funder: Address
  readonly rentPayer: Address
  /** The time is in unix seconds, and the same for all transactions of one order: see the program's README on replay. */
  readonly initiateBefore: bigint
}

export function initiateInstruction(contract: HtlcContract, terms: HtlcTerms, initiation: Initiation): Instruction {
  const { mint, ...order } = orderTermsOf(contract, terms)
  if (mint === null) return initiateSol(contract.program, { ...order, mint }, initiation)
  const funderTokens = tokenAccountOf(initiation.funder, mint)
  return initiateToken(contract.program, { ...order, mint }, { ...initiation, funderTokens })
}

/** This account pays for the payee's token account. Null means that the token account exists or that none is needed. */
export type AccountCreator = Address | null

export function redeemInstructions(
  contract: HtlcContract,
  terms: HtlcTerms,
  secret: Hex32,
  creator: AccountCreator,
): readonly Instruction[] {
  const orderTerms = orderTermsOf(contract, terms)
  const { mint, redeemer } = orderTerms
  const { address: order } = orderAddress(contract.program, orderTerms)
  const shown = hexToBytes(secret)
  if (mint === null) return [redeemSol(contract.program, order, redeemer, shown)]
  const tokens = tokenAccountOf(redeemer, mint)
  return [...creationOf(tokens, redeemer, mint, creator), redeemToken(contract.program, order, tokens, shown)]
}

export function refundInstructions(contract: HtlcContract, terms: HtlcTerms, creator: AccountCreator): readonly Instruction[] {
  const orderTerms = orderTermsOf(contract, terms)
  const { mint, initiator } = orderTerms
  const { address: order } = orderAddress(contract.program, orderTerms)
  if (mint === null) return [refundSol(contract.program, order, initiator)]
  const tokens = tokenAccountOf(initiator, mint)
  return [...creationOf(tokens, initiator, mint, creator), refundToken(contract.program, order, tokens)]
}

/** The redeemer signed `message`: see `consentMessage`. */
export type Consent = { readonly message: Uint8Array; readonly signature: Uint8Array }

/** The program looks for the consent right before the refund. */
export function instantRefundInstructions(
  contract: HtlcContract,
  terms: HtlcTerms,
  { message, signature }: Consent,
  creator: AccountCreator,
): readonly Instruction[] {
  const orderTerms = orderTermsOf(contract, terms)
  const { mint, initiator, redeemer } = orderTerms
  const { address: order } = orderAddress(contract.program, orderTerms)
  const consent = consentInstruction(redeemer, signature, message)
  if (mint === null) return [consent, instantRefundSol(contract.program, order, initiator, instructionsSysvar)]
  const tokens = tokenAccountOf(initiator, mint)
  const refund = instantRefundToken(contract.program, order, tokens, instructionsSysvar)
  return [...creationOf(tokens, initiator, mint, creator), consent, refund]
}

/** The creator pays for the account that receives the money. The instruction does nothing if that account exists. */
export function creationFor({ mint }: Pick<HtlcContract, 'mint'>, owner: Address, creator: Address): readonly Instruction[] {
  return mint === null ? [] : creationOf(tokenAccountOf(owner, mint), owner, mint, creator)
}

function creationOf(ata: Address, owner: Address, mint: Address, creator: AccountCreator): readonly Instruction[] {
  if (creator === null) return []
  return [getCreateAssociatedTokenIdempotentInstruction({ payer: createNoopSigner(creator), ata, owner, mint, tokenProgram })]
}
