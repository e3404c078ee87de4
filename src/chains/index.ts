/** All chain families. Code outside of this folder connects to a chain through `connectChain`. */
import type { Chain } from '../protocol/chain.ts'
import type { FamilyName } from '../protocol/registry/family-data.ts'
import { bitcoin } from './bitcoin/index.ts'
import { evm } from './evm/index.ts'
import { hypercore } from './hypercore/index.ts'
import type { ChainClient } from './port/client.ts'
import type { ChainFamily, ConnectOptions } from './port/family.ts'
import type { TextForms } from './port/text-forms.ts'
import { solana } from './solana/index.ts'
import { tron } from './tron/index.ts'

const families: readonly ChainFamily[] = [bitcoin, evm, hypercore, solana, tron]

/** Undefined for a family that is in the registry but not implemented. */
export function familyNamed(name: FamilyName): ChainFamily | undefined {
  return families.find((known) => known.name === name)
}

export function connectChain(chain: Chain, options: ConnectOptions): ChainClient {
  return familyOf(chain).connect(chain, options)
}

/** Needs no connection, so it works for chains that are not served too. */
export function textFormsOf(chain: Chain): TextForms {
  return familyOf(chain).textForms(chain)
}

function familyOf(chain: Chain): ChainFamily {
  const family = familyNamed(chain.family)
  if (family === undefined) throw new Error(`chain ${chain.id} is of the family "${chain.family}", which is not built in`)
  return family
}

/** Interfaces of the contracts of all families, by schema name. */
export const contractSchemas: Readonly<Record<string, unknown>> = Object.assign({}, ...families.map((family) => family.schemas))
