/** Reads the package and the shared version of each registry from the chain, and verifies them once. */
import { parseStructTag } from '@mysten/sui/utils'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Deployment } from '../contract/client/calls.ts'
import { moduleName } from '../contract/client/calls.ts'
import { type Address, parseAddress } from '../terms/address.ts'
import { parseCoinType } from '../terms/coin-type.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import type { SuiNode } from './nodes/node.ts'

export type Deployed = Deployment & HtlcContract & { readonly packageId: Address }

/** The transaction that published the package proves what its code is. */
export type Verified = Deployed & { readonly publication: Uint8Array }

export interface Deployments {
  /** Rejects with `would-fail` unless the registry is of our code, without an owner, for the coin of this asset. It is read once. */
  of(contract: HtlcContract): Promise<Verified>
}

/** `verify` checks that the package is ours, and that nobody can upgrade it, and resolves to the transaction that published it. */
export function createDeployments(node: Pick<SuiNode, 'object'>, verify: (packageId: Address) => Promise<Uint8Array>): Deployments {
  const known = new Map<string, Promise<Verified>>()
  const read = async (contract: HtlcContract) => {
    const deployed = await readRegistry(node, contract)
    return { ...deployed, publication: await verify(deployed.packageId) }
  }
  return {
    of(contract) {
      const key = `${contract.registry} ${contract.coinType}`
      const found = known.get(key) ?? read(contract)
      known.set(key, found)
      found.catch(() => known.delete(key))
      return found
    },
  }
}

async function readRegistry(node: Pick<SuiNode, 'object'>, contract: HtlcContract): Promise<Deployed> {
  const { registry, coinType, asset } = contract
  const wrong = (what: string) => new ChainFailure('would-fail', `the HTLC of ${asset}: ${what}`)
  const object = await node.object(registry)
  if (object === null) throw wrong(`there is no object at ${registry}`)
  if (!object.type.includes('::')) throw wrong(`${registry} is a package, expected a registry`)
  const { address, module, name, typeParams } = parseStructTag(object.type)
  const [coin, ...more] = typeParams
  const isRegistry = module === moduleName && name === 'Registry' && typeof coin === 'object' && more.length === 0
  if (!isRegistry || object.initialSharedVersion === null) throw wrong(`${registry} is no shared registry but ${object.type}`)
  const locked = parseCoinType(object.type.slice(object.type.indexOf('<') + 1, -1))
  if (locked !== coinType) throw wrong(`the registry ${registry} locks ${locked}, expected ${coinType}`)
  return { ...contract, packageId: parseAddress(address), initialSharedVersion: object.initialSharedVersion.toString() }
}
