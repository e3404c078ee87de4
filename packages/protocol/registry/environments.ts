/** The chains and assets of each environment, whether or not an operator serves them. */
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { withEvmTiers } from './confirmation-tiers.ts'
import { localAssets, localChains } from './local.ts'
import { mainnetAssets, mainnetChains } from './mainnet.ts'
import { testnetAssets, testnetChains } from './testnet.ts'

export const environmentNames = ['local', 'testnet', 'mainnet'] as const
export type EnvironmentName = (typeof environmentNames)[number]

export type Environment = { readonly chains: readonly Chain[]; readonly assets: readonly Asset[] }

export const environments: Readonly<Record<EnvironmentName, Environment>> = {
  local: { chains: localChains, assets: withEvmTiers(localChains, localAssets) },
  testnet: { chains: testnetChains, assets: withEvmTiers(testnetChains, testnetAssets) },
  mainnet: { chains: mainnetChains, assets: withEvmTiers(mainnetChains, mainnetAssets) },
}
