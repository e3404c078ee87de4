// Publishes the package without an upgrade capability, and recognises a package that was published so.
import { bcs } from '@mysten/sui/bcs'
import { TransactionDataBuilder } from '@mysten/sui/transactions'
import { fromBase58 } from '@mysten/sui/utils'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
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

/** The byte separates the ids of new objects from other hashes. */
const NEW_OBJECT = Uint8Array.of(0xf1)

/** The id of the package that such a transaction makes: it is the first new object. Nobody can make another package with this id. */
export function publishedPackage(transaction: Uint8Array): string {
  const digest = fromBase58(TransactionDataBuilder.getDigestFromBytes(transaction))
  const first = bcs.U64.serialize(0).toBytes()
  return `0x${bytesToHex(blake2b(concatBytes(NEW_OBJECT, digest, first), { dkLen: 32 }))}`
}

/** A module on the chain names its own package, so its bytecode depends on the package's id. */
export function publishedModule(packageId: string): Uint8Array {
  const module = Uint8Array.from(Buffer.from(htlcPackage.module, 'base64'))
  module.set(bcs.Address.serialize(packageId).toBytes(), htlcPackage.selfAddressOffset)
  return module
}
