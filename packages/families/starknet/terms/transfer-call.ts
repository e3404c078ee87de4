/** Makes the call that sends STRK or another token to an address. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Call, transferCall } from '../contract/client/calls.ts'
import type { Felt } from '../contract/client/felt.ts'
import { feltOf } from './address.ts'
import { starknetDataOf } from './chain-data.ts'
import type { Contracts } from './htlc.ts'

type Payment = { readonly asset: AssetId; readonly recipient: string; readonly amount: bigint }

/** The coin pays fees, even if it cannot be swapped here. */
export function tokenOf(chain: Chain, contracts: Contracts, asset: AssetId): Felt {
  return asset === chain.nativeAsset ? feltOf(starknetDataOf(chain).feeToken) : contracts.of(asset).token
}

export function transferCallOf(chain: Chain, contracts: Contracts, { asset, recipient, amount }: Payment): Call {
  return transferCall(tokenOf(chain, contracts, asset), feltOf(recipient), amount)
}
