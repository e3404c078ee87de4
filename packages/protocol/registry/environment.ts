/** An operator can serve these networks. `@tandem/families` has the chains and assets of each. */
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'

export const environmentNames = ['local', 'testnet', 'mainnet'] as const
export type EnvironmentName = (typeof environmentNames)[number]

export type Environment = { readonly chains: readonly Chain[]; readonly assets: readonly Asset[] }

/** A family has these chains and assets in each environment. */
export type FamilyRows = Readonly<Record<EnvironmentName, Environment>>
