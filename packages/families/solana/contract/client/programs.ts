// Names the programs of the chain that ours uses.
import type { Address } from '@solana/kit'

export const systemProgram = '11111111111111111111111111111111' as Address
/** This is the classic one: our program refuses Token-2022. */
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address
