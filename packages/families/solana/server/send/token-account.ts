/** Reads an account of the classic Token program. */
import { getTokenDecoder, getTokenSize, type Token } from '@solana-program/token'
import { tokenProgram } from '../../contract/client/programs.ts'
import type { NodeAccount } from '../nodes/node.ts'

/** The result is null for anything but a token account of the classic Token program; a mint is none. */
export function readTokenAccount(account: NodeAccount | null): Token | null {
  if (account?.owner !== tokenProgram || account.data.length !== getTokenSize()) return null
  return getTokenDecoder().decode(account.data)
}
