/** Where plain transfers fund a swap, and the instructions that lock what lies there or return it: pure functions of terms and deadline. */
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { depositAddress } from '../contract/client/addresses.ts'
import { initiateDepositedSol, initiateDepositedToken, returnSol, returnTokens } from '../contract/client/instructions.ts'
import { tokenProgram } from '../contract/client/programs.ts'
import { parseAddress } from './address.ts'
import { type HtlcContract, orderTermsOf } from './htlc.ts'
import { tokenAccountOf } from './instructions.ts'

type DepositedSwap = Pick<PrefundedSwap, 'terms' | 'deadline'>

/**
 * Tokens are sent to this address too: wallets and exchanges pay into its associated token account, and create that if it is missing. We never tell the
 * token account itself: while it does not exist, a wallet takes it for an owner, and nobody could ever move what it pays then.
 */
export function depositAddressOf(contract: HtlcContract, { terms, deadline }: DepositedSwap): Address {
  return depositAddress(contract.program, orderTermsOf(contract, terms), deadline).address
}

/** The account that holds the deposit: the address itself for SOL, else its associated token account. */
export function depositAccountOf(contract: HtlcContract, swap: DepositedSwap): Address {
  const address = depositAddressOf(contract, swap)
  return contract.mint === null ? address : tokenAccountOf(address, contract.mint)
}

/** The rent payer signs, whoever it is. */
export function initiateDepositedInstruction(contract: HtlcContract, swap: DepositedSwap, rentPayer: Address): Instruction {
  const { mint, ...order } = orderTermsOf(contract, swap.terms)
  const { deadline } = swap
  if (mint === null) return initiateDepositedSol(contract.program, { ...order, mint }, { rentPayer, deadline })
  const depositTokens = depositAccountOf(contract, swap)
  return initiateDepositedToken(contract.program, { ...order, mint }, { rentPayer, deadline, depositTokens })
}

/** Returns what is of the swap's asset, once the deposit cannot fund the swap. */
export function returnDepositInstruction(contract: HtlcContract, swap: DepositedSwap): Instruction {
  const returned = contract.mint === null ? null : { mint: contract.mint, tokenProgram }
  return returnInstruction(contract, swap, returned)
}

/** Null means SOL. A mint belongs to the classic Token program or to Token-2022. */
export type Returned = { readonly mint: Address; readonly tokenProgram: Address } | null

/**
 * `payer` pays the fee, and for the initiator's token account if that is missing. It signs the transaction: if it is the initiator, the program returns the
 * money at any time.
 */
export function returnDepositInstructions(
  contract: HtlcContract,
  swap: DepositedSwap,
  { returned, payer }: { readonly returned: Returned; readonly payer: Address },
): readonly Instruction[] {
  const initiator = parseAddress(swap.terms.initiator)
  const back = returnInstruction(contract, swap, returned)
  if (returned === null) return [back]
  const ata = tokenAccountOf(initiator, returned.mint, returned.tokenProgram)
  return [getCreateAssociatedTokenIdempotentInstruction({ payer: createNoopSigner(payer), ata, owner: initiator, ...returned }), back]
}

function returnInstruction(contract: HtlcContract, swap: DepositedSwap, returned: Returned): Instruction {
  const order = orderTermsOf(contract, swap.terms)
  const by = { deadline: swap.deadline, isSignedByInitiator: false }
  if (returned === null) return returnSol(contract.program, order, by)
  const { mint, tokenProgram: ofMint } = returned
  const tokens = tokenAccountOf(depositAddressOf(contract, swap), mint, ofMint)
  const initiatorTokens = tokenAccountOf(order.initiator, mint, ofMint)
  return returnTokens(contract.program, order, by, { ...returned, tokens, initiatorTokens })
}
