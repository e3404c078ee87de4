/** Lists the chains and assets of each environment, whether or not an operator serves them. */

import { rows as bitcoin } from '@tandem/bitcoin/terms/registry.ts'
import { rows as evm } from '@tandem/evm/terms/registry.ts'
import { rows as hypercore } from '@tandem/hypercore/terms/registry.ts'
import type { Environment, EnvironmentName, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { rows as solana } from '@tandem/solana/terms/registry.ts'
import { rows as starknet } from '@tandem/starknet/terms/registry.ts'
import { rows as sui } from '@tandem/sui/terms/registry.ts'
import { rows as tron } from '@tandem/tron/terms/registry.ts'
import { rows as xrpl } from '@tandem/xrpl/terms/registry.ts'
import type { FamilyName } from './names.ts'

const rows: Readonly<Record<FamilyName, FamilyRows>> = { bitcoin, evm, hypercore, tron, solana, starknet, sui, xrpl }

export const environments: Readonly<Record<EnvironmentName, Environment>> = {
  local: inEnvironment('local'),
  testnet: inEnvironment('testnet'),
  mainnet: inEnvironment('mainnet'),
}

export const { chains: localChains, assets: localAssets } = environments.local

function inEnvironment(name: EnvironmentName): Environment {
  const listed = Object.values(rows).map((row) => row[name])
  return { chains: listed.flatMap(({ chains }) => chains), assets: listed.flatMap(({ assets }) => assets) }
}
