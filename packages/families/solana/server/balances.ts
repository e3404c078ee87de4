/** What an account can spend: its lamports, or the tokens in its associated token account. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { parseAddress } from '../terms/address.ts'
import type { Contracts } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import type { SolanaNode } from './nodes/node.ts'

/** Tokens in other token accounts of the owner are not counted: we pay from the associated one. */
export async function balanceOf(node: SolanaNode, chain: Chain, contracts: Contracts, asset: AssetId, owner: string): Promise<bigint> {
  const account = parseAddress(owner)
  const mint = asset === chain.nativeAsset ? null : contracts.of(asset).mint
  return mint === null ? node.balance(account) : node.tokenBalance(await tokenAccountOf(account, mint))
}
