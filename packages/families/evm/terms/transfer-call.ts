/** Makes the call that sends the native coin or a token to an address. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { Contracts } from './htlc.ts'

/** The native coin pays for gas, even if it cannot be swapped here. */
export function tokenOf({ nativeAsset }: Chain, contracts: Contracts, asset: AssetId): Address | null {
  return asset === nativeAsset ? null : contracts.of(asset).token
}

export function transferCall(token: Address | null, recipient: Address, amount: bigint): { to: Address; data: Hex; value: bigint } {
  if (token === null) return { to: recipient, data: '0x', value: amount }
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, amount] }), value: 0n }
}
