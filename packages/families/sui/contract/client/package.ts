// Publishes the package without an upgrade capability, and recognises a package that was published so.
import { bcs } from '@mysten/sui/bcs'
import { bytesToHex } from '@noble/hashes/utils.js'
import { htlcPackage } from '../artifacts/htlc.ts'

/**
 * The kind, for `Transaction.fromKind`, publishes the package and burns its upgrade capability. An owner of the capability could upgrade
 * the module to one that empties every registry.
 */
export function publicationKind(): Uint8Array {
  const publish = { Publish: { modules: [htlcPackage.module], dependencies: [...htlcPackage.dependencies] } }
  const burn = { package: '0x2', module: 'package', function: 'make_immutable', typeArguments: [], arguments: [{ Result: 0 }] }
  return bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs: [], commands: [publish, { MoveCall: burn }] } }).toBytes()
}

/**
 * The result is true if a transaction (BCS of its data) publishes the package and burns the capability, and does nothing else. Nobody can
 * upgrade a package that such a transaction made.
 */
export function isPublication(transaction: Uint8Array): boolean {
  const { kind } = bcs.TransactionData.parse(transaction).V1
  return bytesToHex(bcs.TransactionKind.serialize(kind).toBytes()) === bytesToHex(publicationKind())
}

/** A module on the chain names its own package, so its bytecode depends on the package's id. */
export function publishedModule(packageId: string): Uint8Array {
  const module = Uint8Array.from(Buffer.from(htlcPackage.module, 'base64'))
  module.set(bcs.Address.serialize(packageId).toBytes(), htlcPackage.selfAddressOffset)
  return module
}
