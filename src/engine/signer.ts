/** Wraps a private key so that the rest of the code can use it but never read, log or copy it. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import type { Signer } from '../chains/family.ts'

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createSigner(privateKey: string): Signer {
  const match = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(privateKey)
  const key = match?.[1] === undefined ? null : hexToBytes(match[1])
  // The message must not quote the value: it may be a real key with a typing error.
  if (key === null || !secp256k1.utils.isValidSecretKey(key))
    throw new Error('a private key must be 32 bytes as hex and valid on secp256k1')
  return {
    publicKey: secp256k1.getPublicKey(key, true),
    signEcdsa(hash) {
      const recovered = secp256k1.sign(hash, key, { prehash: false, lowS: true, format: 'recovered' })
      // noble puts the recovery byte first; r ‖ s ‖ recovery is what chains expect.
      return Uint8Array.from([...recovered.subarray(1), recovered[0] ?? 0])
    },
    signSchnorr: (hash) => schnorr.sign(hash, key),
  }
}
