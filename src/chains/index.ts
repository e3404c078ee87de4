/**
 * All chain families. Code outside of this folder connects to a chain through `connectChain`.
 * Only their facts are imported here; the rest of a family is loaded when it is first used, so that the others need no memory.
 */
import type { Chain } from '../protocol/chain.ts'
import type { FamilyName } from '../protocol/registry/family-data.ts'
import { bitcoinFacts } from './bitcoin/facts.ts'
import { evmFacts } from './evm/facts.ts'
import { hypercoreFacts } from './hypercore/facts.ts'
import { loadInTurn } from './load-in-turn.ts'
import type { ChainClient } from './port/client.ts'
import type { ChainFamily, ConnectOptions, ContractSchemas, FamilyFacts } from './port/family.ts'
import type { BasicForms } from './port/text-forms.ts'
import { solanaFacts } from './solana/facts.ts'
import { starknetFacts } from './starknet/facts.ts'
import { suiFacts } from './sui/facts.ts'
import { tronFacts } from './tron/facts.ts'
import { xrplFacts } from './xrpl/facts.ts'

type ListedFamily = {
  readonly facts: FamilyFacts
  readonly load: () => Promise<ChainFamily>
  readonly loadSchemas: () => Promise<ContractSchemas>
}

const families: Readonly<Record<FamilyName, ListedFamily>> = {
  bitcoin: {
    facts: bitcoinFacts,
    load: async () => (await import('./bitcoin/index.ts')).bitcoin,
    loadSchemas: async () => (await import('./bitcoin/schemas.ts')).schemas,
  },
  evm: {
    facts: evmFacts,
    load: async () => (await import('./evm/index.ts')).evm,
    loadSchemas: async () => (await import('./evm/schemas.ts')).schemas,
  },
  hypercore: {
    facts: hypercoreFacts,
    load: async () => (await import('./hypercore/index.ts')).hypercore,
    loadSchemas: async () => (await import('./hypercore/schemas.ts')).schemas,
  },
  solana: {
    facts: solanaFacts,
    load: async () => (await import('./solana/index.ts')).solana,
    loadSchemas: async () => (await import('./solana/schemas.ts')).schemas,
  },
  starknet: {
    facts: starknetFacts,
    load: async () => (await import('./starknet/index.ts')).starknet,
    loadSchemas: async () => (await import('./starknet/schemas.ts')).schemas,
  },
  sui: {
    facts: suiFacts,
    load: async () => (await import('./sui/index.ts')).sui,
    loadSchemas: async () => (await import('./sui/schemas.ts')).schemas,
  },
  tron: {
    facts: tronFacts,
    load: async () => (await import('./tron/index.ts')).tron,
    loadSchemas: async () => (await import('./tron/schemas.ts')).schemas,
  },
  xrpl: {
    facts: xrplFacts,
    load: async () => (await import('./xrpl/index.ts')).xrpl,
    loadSchemas: async () => (await import('./xrpl/schemas.ts')).schemas,
  },
}

export function familyNamed(name: FamilyName): FamilyFacts {
  return families[name].facts
}

/** The family with its libraries. */
export async function loadFamily(name: FamilyName): Promise<ChainFamily> {
  return loadInTurn(families[name].load)
}

export async function connectChain(chain: Chain, options: ConnectOptions): Promise<ChainClient> {
  return (await loadFamily(chain.family)).connect(chain, options)
}

/** Needs no connection and no library, so it works for chains that are not served too. */
export function basicFormsOf(chain: Chain): BasicForms {
  return familyNamed(chain.family).basicForms(chain)
}

/** Interfaces of the contracts of all families, by schema name. */
export async function loadContractSchemas(): Promise<ContractSchemas> {
  return Object.assign({}, ...(await Promise.all(Object.values(families).map(({ loadSchemas }) => loadSchemas()))))
}
