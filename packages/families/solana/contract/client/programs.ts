// Names the programs of the chain that ours uses.
import type { Address } from '@solana/kit'

export const systemProgram = '11111111111111111111111111111111' as Address
/** This is the classic one: our program refuses Token-2022. */
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address
/** Only a deposit may hold its tokens, which were sent there by mistake, and only to return them. */
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address
/** It creates the token account of an owner at an address that follows from owner and mint. */
export const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address
/** The runtime reads the limit and the price of compute units there. */
export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111' as Address
/** The runtime verifies signatures of messages there. */
export const ed25519Program = 'Ed25519SigVerify111111111111111111111111111' as Address
/** A program reads the other instructions of its transaction there. */
export const instructionsSysvar = 'Sysvar1nstructions1111111111111111111111111' as Address
