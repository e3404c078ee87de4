/** Lists the chains and assets of each environment, whether or not an operator serves them, and those that an operator adds. */

import { rows as bitcoin } from '@tandem/bitcoin/terms/registry.ts'
import { rows as evm, addable as evmAddable } from '@tandem/evm/terms/registry.ts'
import { rows as hypercore, addable as hypercoreAddable } from '@tandem/hypercore/terms/registry.ts'
import { type Added, addRows } from '@tandem/protocol/registry/add-rows.ts'
import type { AddableFamily, RegistryAdditions } from '@tandem/protocol/registry/addable.ts'
import type { Environment, EnvironmentName, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { rows as solana, addable as solanaAddable } from '@tandem/solana/terms/registry.ts'
import { rows as starknet, addable as starknetAddable } from '@tandem/starknet/terms/registry.ts'
import { rows as sui, addable as suiAddable } from '@tandem/sui/terms/registry.ts'
import { rows as tron, addable as tronAddable } from '@tandem/tron/terms/registry.ts'
import { rows as xrpl, addable as xrplAddable } from '@tandem/xrpl/terms/registry.ts'
import type { FamilyName } from './names.ts'

const rows: Readonly<Record<FamilyName, FamilyRows>> = { bitcoin, evm, hypercore, tron, solana, starknet, sui, xrpl }

/** Null where an operator can add neither chains nor tokens: our code knows each network by its parameters. */
const addable: Readonly<Record<FamilyName, AddableFamily | null>> = {
  bitcoin: null,
  evm: evmAddable,
  hypercore: hypercoreAddable,
  tron: tronAddable,
  solana: solanaAddable,
  starknet: starknetAddable,
  sui: suiAddable,
  xrpl: xrplAddable,
}

export const environments: Readonly<Record<EnvironmentName, Environment>> = {
  local: inEnvironment('local'),
  testnet: inEnvironment('testnet'),
  mainnet: inEnvironment('mainnet'),
}

export const { chains: localChains, assets: localAssets } = environments.local

/** The rows of an environment with those that an operator adds. Every problem names its place in the additions. */
export function environmentWith(name: EnvironmentName, additions: RegistryAdditions = {}): Added {
  return addRows({ name, known: environments, families: addable }, additions)
}

/** Says how the tokens of a family are written. Null where there are none, or none can be added. */
export function addableFamily(name: string): AddableFamily | null {
  return new Map<string, AddableFamily | null>(Object.entries(addable)).get(name) ?? null
}

function inEnvironment(name: EnvironmentName): Environment {
  const listed = Object.values(rows).map((row) => row[name])
  return { chains: listed.flatMap(({ chains }) => chains), assets: listed.flatMap(({ assets }) => assets) }
}
