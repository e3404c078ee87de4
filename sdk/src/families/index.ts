/** The families, each loaded when a chain of it is first used. */
import type { FamilyName } from '../../../src/protocol/registry/family-data.ts'
import type { SdkFamily } from './family.ts'

const loaders: Partial<Readonly<Record<FamilyName, () => Promise<{ readonly family: SdkFamily }>>>> = {
  evm: () => import('./evm/index.ts'),
  bitcoin: () => import('./bitcoin/index.ts'),
  tron: () => import('./tron/index.ts'),
  hypercore: () => import('./hypercore/index.ts'),
  starknet: () => import('./starknet/index.ts'),
  solana: () => import('./solana/index.ts'),
  sui: () => import('./sui/index.ts'),
  xrpl: () => import('./xrpl/index.ts'),
}

export async function loadFamily(name: FamilyName): Promise<SdkFamily> {
  const load = loaders[name]
  if (load === undefined) throw new Error(`this version of the SDK knows no chains of the family "${name}"`)
  return (await load()).family
}
