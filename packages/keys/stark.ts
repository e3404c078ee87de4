/** Keys on the STARK curve sign with ECDSA, which Starknet's accounts verify. */
import { ecdsa, weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { holdKey } from './held-keys.ts'
import type { Key } from './key.ts'
import { parsePrivateKey } from './private-key.ts'

// The curve is y² = x³ + αx + β over 2^251 + 17·2^192 + 1 (docs.starkware.co, "STARK curve").
const Point = weierstrass({
  p: 2n ** 251n + 17n * 2n ** 192n + 1n,
  n: 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn,
  h: 1n,
  a: 1n,
  b: 0x6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89n,
  Gx: 0x1ef15c18599971b7beced415a40f0c7deacfd9b0d1819e03d723d8bc943cfcan,
  Gy: 0x5668060aa49730b7be4801df46ec62de53ecd11abe43a32873000c36e8dc1fn,
})

/** The digest is a number and is taken unchanged; ECDSA's usual truncation would drop the lowest bits of its 256. */
const stark = ecdsa(Point, sha256, { lowS: false, bits2int_modN: (bytes: Uint8Array) => Point.Fn.create(bytesToNumberBE(bytes)) })

/** Message hashes, r and 1/s are below this bound: no account verifies larger ones. */
const LIMIT = 2n ** 251n

/** `privateKey` is 32 bytes as hex, with or without 0x, below the order of the curve. */
export function createStarkKey(privateKey: string): Key<'stark'> {
  const key = parsePrivateKey('stark', privateKey, stark.utils.isValidSecretKey)
  const curve = 'stark'
  const publicKey = stark.getPublicKey(key, true).subarray(1)
  return holdKey(curve, {
    publicKey,
    rawSignerFor: (purpose) => ({
      curve,
      publicKey,
      purpose,
      signFelt(digest) {
        if (digest.length !== 32 || bytesToNumberBE(digest) >= LIMIT) throw new Error('a Starknet digest is 32 bytes and below 2^251')
        const signature = stark.sign(digest, key, { prehash: false })
        const { r, s } = stark.Signature.fromBytes(signature)
        if (r >= LIMIT || Point.Fn.inv(s) >= LIMIT) throw new Error('this digest has no signature by this key that Starknet verifies')
        return signature
      },
    }),
  })
}

/** `publicKey` is the x coordinate of two points, and an account accepts a signature by either. `signature` is r and s. */
export function isStarkSignature(publicKey: Uint8Array, digest: Uint8Array, signature: readonly Uint8Array[]): boolean {
  const joined = Uint8Array.from(signature.flatMap((part) => [...part]))
  if (joined.length !== 64) return false
  return [2, 3].some((parity) => stark.verify(joined, digest, Uint8Array.of(parity, ...publicKey), { prehash: false, lowS: false }))
}

/** Half of all texts are the x coordinate of no point. */
export function isStarkPublicKey(publicKey: Uint8Array): boolean {
  return stark.utils.isValidPublicKey(Uint8Array.of(2, ...publicKey), true)
}

/** Only one in 32 texts of 32 random bytes is a key, so the library must choose. */
export function randomStarkPrivateKey(): Uint8Array {
  return stark.utils.randomSecretKey()
}
