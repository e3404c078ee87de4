/** What an account can spend: STRK, in which fees are paid, or the token of an asset. An account that is not deployed may own both. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { feltOf, parseAddress } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import type { Contracts } from '../terms/htlc.ts'
import type { ContractState } from './contract-state.ts'

export async function balanceOf(
  state: Pick<ContractState, 'tokenBalance'>,
  chain: Chain,
  contracts: Contracts,
  asset: AssetId,
  owner: string,
): Promise<bigint> {
  // The coin that pays for gas, even if it cannot be swapped here.
  const token = asset === chain.nativeAsset ? feltOf(starknetDataOf(chain).feeToken) : contracts.of(asset).token
  return state.tokenBalance(token, feltOf(parseAddress(owner)))
}
