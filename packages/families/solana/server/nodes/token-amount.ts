/** The part of a token account that every payment changes. */
import { getTokenDecoder, getTokenEncoder } from '@solana-program/token'
import { tokenProgram } from '../../contract/client/programs.ts'
import type { NodeAccount } from './node.ts'

const SIZE = getTokenEncoder().fixedSize

/** 0 for any other account. */
export function tokenAmountOf(account: NodeAccount): bigint {
  return isTokenAccount(account) ? getTokenDecoder().decode(account.data).amount : 0n
}

export function withoutAmount(account: NodeAccount): NodeAccount {
  if (!isTokenAccount(account)) return account
  return { ...account, data: getTokenEncoder().encode({ ...getTokenDecoder().decode(account.data), amount: 0n }) }
}

function isTokenAccount({ owner, data }: NodeAccount): boolean {
  return owner === tokenProgram && data.length === SIZE
}
