/** The chains and assets of each environment: what is listed, whoever serves it. */
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { localAssets, localChains } from './local.ts'

export const environmentNames = ['local', 'testnet', 'mainnet'] as const
export type EnvironmentName = (typeof environmentNames)[number]

export type Environment = { readonly chains: readonly Chain[]; readonly assets: readonly Asset[] }

export const environments: Readonly<Record<EnvironmentName, Environment>> = {
  local: { chains: localChains, assets: localAssets },
  testnet: { chains: [], assets: [] },
  mainnet: { chains: [], assets: [] },
}
