// Computes digests and ids by Sui's rules: blake2b-256 over the name of the type and its BCS.
import { bcs } from '@mysten/sui/bcs'
import { fromBase58, normalizeSuiAddress, toBase58, toHex } from '@mysten/sui/utils'
import { blake2b } from '@noble/hashes/blake2.js'

/** `name` is that of the hashed Rust type, such as `TransactionData`. The digest is base58. */
export function digestOf(name: string, bytes: Uint8Array): string {
  const hash = blake2b.create({ dkLen: 32 })
  hash.update(new TextEncoder().encode(`${name}::`))
  hash.update(bytes)
  return toBase58(hash.digest())
}

/** The byte separates ids of new objects from other hashes. */
const NEW_OBJECT = 0xf1

export function newObjectId(transactionDigest: string, count: number): string {
  const hash = blake2b.create({ dkLen: 32 })
  hash.update(Uint8Array.of(NEW_OBJECT))
  hash.update(fromBase58(transactionDigest))
  hash.update(bcs.u64().serialize(count).toBytes())
  return normalizeSuiAddress(toHex(hash.digest()))
}
