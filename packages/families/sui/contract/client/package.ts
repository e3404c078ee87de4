// Publishing the package for good, and recognising a package that was published so.
import { bcs } from '@mysten/sui/bcs'
import { bytesToHex } from '@noble/hashes/utils.js'
import { htlcPackage } from '../artifacts/htlc.ts'

/**
 * A whole transaction kind, for `Transaction.fromKind`: publishes the package and burns its upgrade capability. Whoever kept the capability could
 * upgrade the module to one that empties every registry.
 */
export function publicationKind(): Uint8Array {
  const publish = { Publish: { modules: [htlcPackage.module], dependencies: [...htlcPackage.dependencies] } }
  const burn = { package: '0x2', module: 'package', function: 'make_immutable', typeArguments: [], arguments: [{ Result: 0 }] }
  return bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs: [], commands: [publish, { MoveCall: burn }] } }).toBytes()
}

/**
 * Whether a transaction (BCS of its data) publishes the package and burns the capability, and does nothing else. True for the transaction that made
 * a package means: nobody can upgrade that package.
 */
export function isPublication(transaction: Uint8Array): boolean {
  const { kind } = bcs.TransactionData.parse(transaction).V1
  return bytesToHex(bcs.TransactionKind.serialize(kind).toBytes()) === bytesToHex(publicationKind())
}

/** The bytecode that the package of this id has on the chain: a module there names its own package. */
export function publishedModule(packageId: string): Uint8Array {
  const module = Uint8Array.from(Buffer.from(htlcPackage.module, 'base64'))
  module.set(bcs.Address.serialize(packageId).toBytes(), htlcPackage.selfAddressOffset)
  return module
}
