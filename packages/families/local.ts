/** Lists the families that can run on this machine. A family is loaded on first use, so that `--chains` saves memory. */

import type { LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import { loadOneAtATime } from './load-one-at-a-time.ts'
import { type FamilyName, familyNameOf } from './names.ts'

const localFamilies: Readonly<Record<FamilyName, () => Promise<LocalFamily>>> = {
  bitcoin: async () => (await import('@tandem/bitcoin/local/local.ts')).bitcoinLocal,
  evm: async () => (await import('@tandem/evm/local/local.ts')).evmLocal,
  hypercore: async () => (await import('@tandem/hypercore/local/local.ts')).hypercoreLocal,
  solana: async () => (await import('@tandem/solana/local/local.ts')).solanaLocal,
  starknet: async () => (await import('@tandem/starknet/local/local.ts')).starknetLocal,
  sui: async () => (await import('@tandem/sui/local/local.ts')).suiLocal,
  tron: async () => (await import('@tandem/tron/local/local.ts')).tronLocal,
  xrpl: async () => (await import('@tandem/xrpl/local/local.ts')).xrplLocal,
}

export async function loadLocalFamily(name: string): Promise<LocalFamily> {
  return loadOneAtATime(localFamilies[familyNameOf(name)])
}
