/** Lists the families, each loaded when a chain of it is first used. */

import type { SdkFamily } from '@tandem/chain-kit/browser/family.ts'
import { type FamilyName, familyNameOf } from './names.ts'

const loaders: Readonly<Record<FamilyName, () => Promise<{ readonly family: SdkFamily }>>> = {
  evm: () => import('@tandem/evm/browser/index.ts'),
  bitcoin: () => import('@tandem/bitcoin/browser/index.ts'),
  tron: () => import('@tandem/tron/browser/index.ts'),
  hypercore: () => import('@tandem/hypercore/browser/index.ts'),
  starknet: () => import('@tandem/starknet/browser/index.ts'),
  solana: () => import('@tandem/solana/browser/index.ts'),
  sui: () => import('@tandem/sui/browser/index.ts'),
  xrpl: () => import('@tandem/xrpl/browser/index.ts'),
}

export async function loadFamily(name: string): Promise<SdkFamily> {
  return (await loaders[familyNameOf(name)]()).family
}
