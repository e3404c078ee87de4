// Digests and ids as Sui computes them: blake2b-256 over the name of the type and its BCS.
import { bcs } from '@mysten/sui/bcs'
import { fromBase58, normalizeSuiAddress, toBase58, toHex } from '@mysten/sui/utils'
import { blake2b } from '@noble/hashes/blake2.js'

/** `name` of the Rust type that is hashed, such as `TransactionData`. In base58. */
export function digestOf(name: string, bytes: Uint8Array): string {
  const hash = blake2b.create({ dkLen: 32 })
  hash.update(new TextEncoder().encode(`${name}::`))
  hash.update(bytes)
  return toBase58(hash.digest())
}

/** Separates ids of new objects from other hashes. */
const NEW_OBJECT = 0xf1

/** The id of the object that a transaction creates as its `count`th, from 0. */
export function newObjectId(transactionDigest: string, count: number): string {
  const hash = blake2b.create({ dkLen: 32 })
  hash.update(Uint8Array.of(NEW_OBJECT))
  hash.update(fromBase58(transactionDigest))
  hash.update(bcs.u64().serialize(count).toBytes())
  return normalizeSuiAddress(toHex(hash.digest()))
}
