/** How much of the ERC-20 on HyperEVM an HTLC may be allowed to take: as on EVM chains, in units of the ERC-20. */
import type { AllowanceOf } from '@tandem/evm/terms/allowance.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'

/** Only the chain knows how many more decimals the ERC-20 of a token has. With more than these, our keys would not approve it. */
export const MAX_ERC20_DECIMALS = 18

/** `allowanceOf` is in the units of HyperCore. */
export function maxErc20AllowancesOf(assets: readonly Pick<Asset, 'id' | 'decimals'>[], allowanceOf: AllowanceOf): AllowanceOf {
  const decimals = new Map<AssetId, number>(assets.map((asset) => [asset.id, asset.decimals]))
  return (terms) => allowanceOf(terms) * 10n ** BigInt(MAX_ERC20_DECIMALS - (decimals.get(terms.asset) ?? MAX_ERC20_DECIMALS))
}
