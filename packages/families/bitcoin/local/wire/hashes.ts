// The hash functions of Bitcoin's consensus rules.
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

export function hash256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}

export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes))
}

const tagPrefixes = new Map<string, Uint8Array>()

/** BIP340: SHA256(SHA256(tag) ‖ SHA256(tag) ‖ message). */
export function taggedHash(tag: string, ...messages: readonly Uint8Array[]): Uint8Array {
  let prefix = tagPrefixes.get(tag)
  if (prefix === undefined) {
    const tagHash = sha256(new TextEncoder().encode(tag))
    prefix = concatBytes(tagHash, tagHash)
    tagPrefixes.set(tag, prefix)
  }
  return sha256(concatBytes(prefix, ...messages))
}
