/**
 * Connects to the chains of all families through `connectChain`. Only their facts are imported here; the rest of a family is loaded when it
 * is first used, so that the others need no memory.
 */

import { bitcoinFacts } from '@tandem/bitcoin/terms/facts.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions, ContractSchemas, FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'
import { evmFacts } from '@tandem/evm/terms/facts.ts'
import { hypercoreFacts } from '@tandem/hypercore/terms/facts.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { solanaFacts } from '@tandem/solana/terms/facts.ts'
import { starknetFacts } from '@tandem/starknet/terms/facts.ts'
import { suiFacts } from '@tandem/sui/terms/facts.ts'
import { tronFacts } from '@tandem/tron/terms/facts.ts'
import { xrplFacts } from '@tandem/xrpl/terms/facts.ts'
import { loadOneAtATime } from './load-one-at-a-time.ts'
import { type FamilyName, familyNameOf } from './names.ts'

type ListedFamily = {
  readonly facts: FamilyFacts
  readonly load: () => Promise<ChainFamily>
  readonly loadSchemas: () => Promise<ContractSchemas>
}

const families: Readonly<Record<FamilyName, ListedFamily>> = {
  bitcoin: {
    facts: bitcoinFacts,
    load: async () => (await import('@tandem/bitcoin/server/index.ts')).bitcoin,
    loadSchemas: async () => (await import('@tandem/bitcoin/terms/schemas.ts')).schemas,
  },
  evm: {
    facts: evmFacts,
    load: async () => (await import('@tandem/evm/server/index.ts')).evm,
    loadSchemas: async () => (await import('@tandem/evm/terms/schemas.ts')).schemas,
  },
  hypercore: {
    facts: hypercoreFacts,
    load: async () => (await import('@tandem/hypercore/server/index.ts')).hypercore,
    loadSchemas: async () => (await import('@tandem/hypercore/terms/schemas.ts')).schemas,
  },
  solana: {
    facts: solanaFacts,
    load: async () => (await import('@tandem/solana/server/index.ts')).solana,
    loadSchemas: async () => (await import('@tandem/solana/terms/schemas.ts')).schemas,
  },
  starknet: {
    facts: starknetFacts,
    load: async () => (await import('@tandem/starknet/server/index.ts')).starknet,
    loadSchemas: async () => (await import('@tandem/starknet/terms/schemas.ts')).schemas,
  },
  sui: {
    facts: suiFacts,
    load: async () => (await import('@tandem/sui/server/index.ts')).sui,
    loadSchemas: async () => (await import('@tandem/sui/terms/schemas.ts')).schemas,
  },
  tron: {
    facts: tronFacts,
    load: async () => (await import('@tandem/tron/server/index.ts')).tron,
    loadSchemas: async () => (await import('@tandem/tron/terms/schemas.ts')).schemas,
  },
  xrpl: {
    facts: xrplFacts,
    load: async () => (await import('@tandem/xrpl/server/index.ts')).xrpl,
    loadSchemas: async () => (await import('@tandem/xrpl/terms/schemas.ts')).schemas,
  },
}

export function familyNamed(name: string): FamilyFacts {
  return families[familyNameOf(name)].facts
}

export async function loadFamily(name: string): Promise<ChainFamily> {
  return loadOneAtATime(families[familyNameOf(name)].load)
}

export async function connectChain(chain: Chain, options: ConnectOptions): Promise<ChainClient> {
  return (await loadFamily(chain.family)).connect(chain, options)
}

/** The forms need no connection and no library, so they work for chains that are not served too. */
export function basicFormsOf(chain: Chain): BasicForms {
  return familyNamed(chain.family).basicForms(chain)
}

export async function loadContractSchemas(): Promise<ContractSchemas> {
  return Object.assign({}, ...(await Promise.all(Object.values(families).map(({ loadSchemas }) => loadSchemas()))))
}
