/** Reads the account of an order at the newest block. */

import type { HtlcState } from '@tandem/chain-kit/contract/action.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { decodeOrderAccount, type OrderAccount } from '../contract/client/decode.ts'
import { parseAddress } from '../terms/address.ts'
import { type Contracts, type HtlcContract, isOrderOf, mintOf, swapIdOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import type { SolanaNode } from './nodes/node.ts'

/**
 * The result is null before the initiation, and after a settled order was closed. Anyone can send lamports to the address before. Rejects
 * for an account with other terms, or with a vault from which we could not pay.
 */
export async function readOrder(
  node: Pick<SolanaNode, 'accounts'>,
  contract: HtlcContract,
  terms: HtlcTerms,
): Promise<OrderAccount | null> {
  const [account = null] = await node.accounts([parseAddress(swapIdOf(contract, terms))])
  const order = account?.owner === contract.program ? decodeOrderAccount(account.data) : null
  if (order !== null && !isOrderOf(contract, terms, order))
    throw new ChainFailure('unreachable', `the account of order ${swapIdOf(contract, terms)} contradicts its terms: the node is wrong`)
  return order
}

export async function readHtlcState(node: Pick<SolanaNode, 'accounts'>, contract: HtlcContract, terms: HtlcTerms): Promise<HtlcState> {
  return (await readOrder(node, contract, terms))?.status ?? 'absent'
}

/** Tokens in the owner's other token accounts do not count: we pay from the associated one. */
export async function balanceOf(node: SolanaNode, chain: Chain, contracts: Contracts, asset: AssetId, owner: string): Promise<bigint> {
  const account = parseAddress(owner)
  const mint = mintOf(chain, contracts, asset)
  return mint === null ? node.balance(account) : node.tokenBalance(tokenAccountOf(account, mint))
}
