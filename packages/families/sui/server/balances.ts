/** What an account can spend: its coins of one type. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import type { Contracts } from '../terms/htlc.ts'
import type { SuiNode } from './nodes/node.ts'

export function balanceOf(
  node: Pick<SuiNode, 'balance'>,
  chain: Chain,
  contracts: Contracts,
  asset: AssetId,
  owner: string,
): Promise<bigint> {
  return node.balance(parseAddress(owner), asset === chain.nativeAsset ? SUI_TYPE : contracts.of(asset).coinType)
}
