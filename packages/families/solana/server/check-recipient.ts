/** Refuses recipients from which nobody could ever move what they receive. */
import { type Address, isOffCurveAddress } from '@solana/kit'
import { AccountState } from '@solana-program/token'
import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import { token2022Program, tokenProgram } from '../contract/client/programs.ts'
import { parseAddress } from '../terms/address.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import type { NodeAccount, SolanaNode } from './nodes/node.ts'
import { readTokenAccount } from './send/token-account.ts'

/** The check takes one request. Whoever pays out of an HTLC creates a missing token account, but nobody does for a refund. */
export async function checkRecipient(
  node: Pick<SolanaNode, 'accounts'>,
  { mint, asset }: HtlcContract,
  address: string,
  payout: Pick<PlannedPayout, 'isRefund'> | null = null,
): Promise<string | null> {
  const wallet = parseAddress(address)
  const tokens = mint === null ? null : tokenAccountOf(wallet, mint)
  const [account = null, held = null] = await node.accounts(tokens === null ? [wallet] : [wallet, tokens])
  const problem = problemOfWallet(wallet, account)
  if (problem !== null) return problem
  const token = readTokenAccount(held)
  if (token === null)
    return mint !== null && payout?.isRefund === true
      ? `${wallet} has no token account for ${asset}, and nobody would create it for a refund: create it first`
      : null
  if (token.owner !== wallet) return `the token account of ${wallet} for ${asset}, ${tokens}, belongs to ${token.owner}`
  return token.state === AccountState.Frozen ? `the token account of ${wallet} for ${asset}, ${tokens}, is frozen` : null
}

function problemOfWallet(wallet: Address, account: NodeAccount | null): string | null {
  if (account === null) {
    // Accounts without a key belong to programs, which create them before they use them.
    return isOffCurveAddress(wallet) ? `${wallet} has no private key, and no program has created it: nobody could spend from it` : null
  }
  if (account.executable) return `${wallet} is a program, not a wallet`
  if (account.owner === tokenProgram || account.owner === token2022Program)
    return `${wallet} is a token account or a mint, not a wallet: give the address of its owner`
  return null
}
