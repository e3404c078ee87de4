/** Wraps a private key so that the rest of the code can use it but never read, log or copy it. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { MusigMessage, MusigSigning, Signer } from './key.ts'
import { generateNonce, signPartially } from './musig2.ts'

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createSigner(privateKey: string): Signer {
  const match = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(privateKey)
  const key = match?.[1] === undefined ? null : hexToBytes(match[1])
  // The message must not quote the value: it may be a real key with a typing error.
  if (key === null || !secp256k1.utils.isValidSecretKey(key))
    throw new Error('a private key must be 32 bytes as hex and valid on secp256k1')
  const publicKey = secp256k1.getPublicKey(key, true)
  return {
    publicKey,
    signEcdsa(hash) {
      const recovered = secp256k1.sign(hash, key, { prehash: false, lowS: true, format: 'recovered' })
      // noble puts the recovery byte first; r ‖ s ‖ recovery is what chains expect.
      return Uint8Array.from([...recovered.subarray(1), recovered[0] ?? 0])
    },
    signSchnorr: (hash) => schnorr.sign(hash, key),
    startMusig: () => startMusig(key, publicKey),
  }
}

/** A secret nonce in two signatures gives the key away (BIP327), so it lives in this closure only and is gone with the first use, right or wrong. */
function startMusig(key: Uint8Array, publicKey: Uint8Array): MusigSigning {
  const { Fn } = secp256k1.Point
  const evenSecret = publicKey[0] === 2 ? key : Fn.toBytes(Fn.neg(Fn.fromBytes(key)))
  const evenKey = concatBytes(Uint8Array.of(2), publicKey.subarray(1))
  const own = generateNonce(evenKey, evenSecret)
  let isUsed = false
  return {
    nonce: Uint8Array.from(own.public),
    sign(session) {
      if (isUsed) throw new Error('this nonce is used up: a new signature needs a new one')
      isUsed = true
      try {
        assertTakesPart(session, evenKey, own.public)
        return signPartially(session, evenKey, evenSecret, own.secret)
      } finally {
        own.secret.fill(0)
      }
    },
  }
}

/** Whoever asks for a signature with other nonces than they say could be after the key. */
function assertTakesPart({ keys, nonces }: MusigMessage, ownKey: Uint8Array, ownNonce: Uint8Array): void {
  const isOwn = (index: number) => isEqual(keys[index], ownKey) && isEqual(nonces[index], ownNonce)
  if (keys.length !== nonces.length || !keys.some((_, index) => isOwn(index)))
    throw new Error('own key and own nonce are not at the same place in what is to be signed')
}

function isEqual(bytes: Uint8Array | undefined, own: Uint8Array): boolean {
  return bytes !== undefined && bytesToHex(bytes) === bytesToHex(own)
}
