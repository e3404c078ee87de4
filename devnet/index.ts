/** The families that can run on this machine. A family is loaded on first use, so that `--chains` saves memory. */
import { loadInTurn } from '../src/chains/load-in-turn.ts'
import type { FamilyName } from '../src/protocol/registry/family-data.ts'
import type { LocalFamily } from './local-chain.ts'

export const localFamilies: Readonly<Record<FamilyName, () => Promise<LocalFamily>>> = {
  bitcoin: async () => (await import('./bitcoin/local.ts')).bitcoinLocal,
  evm: async () => (await import('./evm/local.ts')).evmLocal,
  hypercore: async () => (await import('./hypercore/local.ts')).hypercoreLocal,
  solana: async () => (await import('./solana/local.ts')).solanaLocal,
  starknet: async () => (await import('./starknet/local.ts')).starknetLocal,
  sui: async () => (await import('./sui/local.ts')).suiLocal,
  tron: async () => (await import('./tron/local.ts')).tronLocal,
  xrpl: async () => (await import('./xrpl/local.ts')).xrplLocal,
}

export async function loadLocalFamily(name: FamilyName): Promise<LocalFamily> {
  return loadInTurn(localFamilies[name])
}
