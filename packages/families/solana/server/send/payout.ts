/** Checks whether a payout can succeed, from the accounts that it touches. The check neither needs nor shows the secret. */
import type { Address } from '@solana/kit'
import { AccountState } from '@solana-program/token'
import { payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { vaultAddress } from '../../contract/client/addresses.ts'
import { parseAddress } from '../../terms/address.ts'
import { type HtlcContract, swapIdOf } from '../../terms/htlc.ts'
import { tokenAccountOf } from '../../terms/instructions.ts'
import { readOrder } from '../contract-state.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { readTokenAccount } from './token-account.ts'

export type Payout = {
  /** The obstacle is null if the payout can succeed now. */
  readonly obstacle: string | null
  readonly lacksAccount: boolean
}

export async function readPayout(
  node: Pick<SolanaNode, 'accounts' | 'rentExempt'>,
  contract: HtlcContract,
  terms: HtlcTerms,
  payee: Address,
): Promise<Payout> {
  const { mint } = contract
  return mint === null ? readSolPayout(node, terms.amount, payee) : readTokenPayout(node, { ...contract, mint }, terms, payee)
}

/** Throws `would-fail` if a redeem of these terms cannot succeed. */
export async function verifyPayout(node: Pick<SolanaNode, 'accounts' | 'rentExempt'>, contract: HtlcContract, terms: HtlcTerms) {
  const [order, payout] = await Promise.all([
    readOrder(node, contract, terms),
    readPayout(node, contract, terms, parseAddress(terms.redeemer)),
  ])
  if (order?.status === 'open' && order.vault !== null) await assertFilled(node, order.vault, terms)
  assertPayable(toExistingAccount(payout), terms.redeemer)
}

/** We create a token account for nobody else: its owner could close it, keep the rent, and repeat this with the next order. */
export function toExistingAccount({ obstacle, lacksAccount }: Payout): Payout {
  if (!lacksAccount) return { obstacle, lacksAccount }
  return { obstacle: 'it has no token account any more: it is paid once its owner has created one', lacksAccount: false }
}

async function assertFilled(node: Pick<SolanaNode, 'accounts'>, vault: Address, { redeemer, amount }: HtlcTerms): Promise<void> {
  const [account = null] = await node.accounts([vault])
  const held = readTokenAccount(account)?.amount ?? 0n
  if (held < amount)
    assertPayable({ obstacle: `the token account of the order, ${vault}, holds ${held}, not ${amount}`, lacksAccount: false }, redeemer)
}

export function assertPayable({ obstacle }: Payout, payee: string): void {
  if (obstacle !== null) throw payoutRefused(`paying ${payee} out of the HTLC: ${obstacle}`)
}

async function readSolPayout(node: Pick<SolanaNode, 'accounts' | 'rentExempt'>, amount: bigint, payee: Address): Promise<Payout> {
  const [[account = null], least] = await Promise.all([node.accounts([payee]), node.rentExempt(0)])
  const lacksAccount = false
  if (account === null && amount < least)
    return { obstacle: `its account does not exist, and ${amount} lamports are less than the ${least} that a new one needs`, lacksAccount }
  if (account?.executable === true) return { obstacle: 'it is a program', lacksAccount }
  return { obstacle: null, lacksAccount }
}

async function readTokenPayout(
  node: Pick<SolanaNode, 'accounts'>,
  contract: HtlcContract & { readonly mint: Address },
  terms: HtlcTerms,
  payee: Address,
): Promise<Payout> {
  const { mint } = contract
  const tokens = tokenAccountOf(payee, mint)
  const vault = vaultAddress(parseAddress(swapIdOf(contract, terms)))
  const [payeeTokens = null, vaultTokens = null] = await node.accounts([tokens, vault])
  const refused = (obstacle: string, lacksAccount = false): Payout => ({ obstacle, lacksAccount })
  if (readTokenAccount(vaultTokens)?.state === AccountState.Frozen) return refused(`the token account of the order, ${vault}, is frozen`)
  if (payeeTokens === null || payeeTokens.data.length === 0) return { obstacle: null, lacksAccount: true }
  const held = readTokenAccount(payeeTokens)
  if (held === null) return refused(`its token account ${tokens} is not one of the classic Token program`)
  // The owner of an associated token account can give the account away.
  if (held.owner !== payee) return refused(`its token account ${tokens} belongs to ${held.owner}`)
  if (held.state === AccountState.Frozen) return refused(`its token account ${tokens} is frozen`)
  return { obstacle: null, lacksAccount: false }
}
