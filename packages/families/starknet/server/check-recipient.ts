/**
 * Refuses recipients from which nobody could ever move what they receive. An account that is not deployed yet may receive: wallets show its
 * address before its first transaction, and tokens need no code at their owner's address. As payer of an order it is refused where its
 * signature is checked.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { feltOf, parseAddress } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import type { Contracts } from '../terms/htlc.ts'
import type { Felt, StarknetNode } from './nodes/node.ts'

/** The check takes one request. `htlcClass` is the hash of our contract's class. */
export async function checkRecipient(
  node: Pick<StarknetNode, 'classHashAt'>,
  chain: Chain,
  contracts: Contracts,
  htlcClass: Felt,
  address: string,
): Promise<string | null> {
  const recipient = feltOf(parseAddress(address))
  const tokens = new Set([feltOf(starknetDataOf(chain).feeToken), ...contracts.all.map(({ token }) => token)])
  if (tokens.has(recipient)) return `${address} is the contract of a token: nobody could spend what it receives`
  const isHtlc = contracts.all.some((contract) => contract.address === recipient) || (await node.classHashAt(recipient)) === htlcClass
  return isHtlc ? `${address} is an HTLC contract: nobody could spend what it receives` : null
}
