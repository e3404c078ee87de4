/** Checks that a package has our code, and that nobody can upgrade it. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { moduleName } from '../contract/client/calls.ts'
import { isPublication, publishedModule, publishedPackage } from '../contract/client/package.ts'
import type { Address } from '../terms/address.ts'
import type { SuiNode } from './nodes/node.ts'

/**
 * Rejects with `would-fail` unless the package has only our module, and its transaction burnt the upgrade capability. Resolves to this transaction, which proves both
 * to whoever has it.
 */
export async function verifyPackage(node: Pick<SuiNode, 'modules' | 'publication'>, packageId: Address): Promise<Uint8Array> {
  const wrong = (what: string) => new ChainFailure('would-fail', `the package ${packageId} ${what}`)
  const [modules, publication] = await Promise.all([node.modules(packageId), node.publication(packageId)])
  if (modules === null || publication === null) throw wrong('does not exist')
  const code = modules.get(moduleName)
  if (modules.size !== 1 || code === undefined || !Buffer.from(code).equals(publishedModule(packageId)))
    throw wrong('has other code than our HTLC')
  // With the capability, a later version of the module could empty every registry.
  if (!isPublicationIn(publication)) throw wrong('is upgradeable: the owner of its upgrade capability could empty its registries')
  if (publishedPackage(publication) !== packageId)
    throw new ChainFailure('unreachable', `the node shows a transaction that published another package than ${packageId}`)
  return publication
}

function isPublicationIn(transaction: Uint8Array): boolean {
  try {
    return isPublication(transaction)
  } catch (error) {
    throw new ChainFailure('unreachable', 'the node shows a malformed transaction', { cause: error })
  }
}
