/** What an account can spend: its coins of one type. */
import type { AssetId } from '../../protocol/asset.ts'
import type { Chain } from '../../protocol/chain.ts'
import { parseAddress } from './address.ts'
import { SUI_TYPE } from './coin-type.ts'
import type { Contracts } from './htlc.ts'
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
