/** Reads the money in an owner's account at the HTLC, on HyperEVM and on HyperCore. */

import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Address } from 'viem'
import { MAX_CROSSING_VALUE, WEI_PER_HYPE_UNIT } from '../terms/core.ts'
import { accountAt, tokenOf } from '../terms/htlc.ts'
import { hasCoreAccount, spotBalanceOf } from './core-account.ts'
import type { TokenLinks } from './token-link.ts'

/** Amounts are in the units of HyperCore. */
export type AccountFunds = { readonly account: Address; readonly onEvm: bigint; readonly onCore: bigint }

export async function fundsOf(
  node: EvmNode,
  state: ContractState,
  links: TokenLinks,
  contract: HtlcContract,
  owner: Address,
): Promise<AccountFunds> {
  const account = accountAt(contract, owner)
  const { coreToken } = await links.of(contract)
  const [onEvm, onCore] = await Promise.all([state.tokenBalance(tokenOf(contract), account), spotBalanceOf(node, account, coreToken)])
  return { account, onEvm, onCore }
}

/**
 * "New HyperCore accounts require 1 quote token […] of fees for the first transaction which has the new account as destination address."
 */
const QUOTE_TOKEN = { name: 'USDC', index: 0n, one: 10n ** 8n } as const

/** The note says that the first transfer to this account may be dropped. Null means that the account exists on HyperCore. */
export async function activationNote(node: EvmNode, account: Address, sender: Address): Promise<string | null> {
  if (await hasCoreAccount(node, account)) return null
  const held = await spotBalanceOf(node, sender, QUOTE_TOKEN.index)
  const fee = `HyperCore takes one quote token (1 ${QUOTE_TOKEN.name}) from the spot account of ${sender} once, because ${account} has no account there yet`
  return held >= QUOTE_TOKEN.one
    ? fee
    : `${fee}; it holds ${held} units of ${QUOTE_TOKEN.name}, of which one is ${QUOTE_TOKEN.one}: without the fee HyperCore drops the transfer silently, and the money stays where it is`
}

/** A transfer from HyperCore to HyperEVM takes this much gas, in HYPE of the account on HyperCore, "at the base gas price of the next HyperEVM block". */
const CROSSING_GAS = 200_000n

/** The account lacks this HYPE for a transfer to HyperEVM, in wei: a multiple of the unit of HyperCore. */
export async function crossingValue(node: EvmNode, account: Address, hypeToken: bigint, gasPrice: bigint): Promise<bigint> {
  const fee = unitsOf(CROSSING_GAS * gasPrice)
  const held = await spotBalanceOf(node, account, hypeToken)
  const missing = fee > held ? (fee - held) * WEI_PER_HYPE_UNIT : 0n
  return missing < MAX_CROSSING_VALUE ? missing : MAX_CROSSING_VALUE
}

/** HyperCore drops a transfer that it is paid too little for, so this rounds up. */
function unitsOf(wei: bigint): bigint {
  return (wei + WEI_PER_HYPE_UNIT - 1n) / WEI_PER_HYPE_UNIT
}
