/** Finds the facts of a family, which are loaded with its code when a signer first serves a chain of it. */
import { loadOneAtATime } from '../load-one-at-a-time.ts'
import { type FamilyName, familyNameOf } from '../names.ts'
import type { SigningFacts } from './facts.ts'

const evm = async () => (await import('./evm.ts')).facts

const families: Readonly<Record<FamilyName, () => Promise<SigningFacts>>> = {
  bitcoin: async () => (await import('./bitcoin.ts')).facts,
  evm,
  // It signs with the operations of EVM chains, and its transactions are on HyperEVM.
  hypercore: evm,
  solana: async () => (await import('./solana.ts')).facts,
  starknet: async () => (await import('./starknet.ts')).facts,
  sui: async () => (await import('./sui.ts')).facts,
  tron: async () => (await import('./tron.ts')).facts,
  xrpl: async () => (await import('./xrpl.ts')).facts,
}

export function loadSigningFacts(family: string): Promise<SigningFacts> {
  return loadOneAtATime(families[familyNameOf(family)])
}
