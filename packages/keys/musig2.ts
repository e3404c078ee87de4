/** One signer's part of a signature by several keys: MuSig2 (BIP327), NonceGen and Sign. Names of steps are those of the standard. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes, randomBytes } from '@noble/hashes/utils.js'
import { isOdd, isSame, KEY_BYTES, type MusigMessage, pointOf, scalarOf, sessionValues } from './musig2-session.ts'

/** A signing has one secret nonce for one signature. The nonce stays inside, and `sign` uses it up: a second call throws. */
export interface MusigSigning {
  readonly nonce: Uint8Array
  sign(session: MusigMessage): Uint8Array
}

/** This is one signer's part of a signature by two keys (BIP327), in hex. */
export type PartialSignature = { readonly nonce: string; readonly signature: string }

const { Point } = secp256k1
const { Fn } = Point

const SCALAR_BYTES = 32

/**
 * A secret nonce in two signatures reveals the key (BIP327): the first use wipes it, even if that fails. `own` is a nonce that was
 * generated for this signature and is used nowhere else.
 */
export function startMusig(key: Uint8Array, publicKey: Uint8Array, own: Nonce = nonceFor(key, publicKey)): MusigSigning {
  const { evenKey, evenSecret } = evenPair(key, publicKey)
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

export function nonceFor(key: Uint8Array, publicKey: Uint8Array): Nonce {
  const { evenKey, evenSecret } = evenPair(key, publicKey)
  return generateNonce(evenKey, evenSecret)
}

function evenPair(key: Uint8Array, publicKey: Uint8Array): { readonly evenKey: Uint8Array; readonly evenSecret: Uint8Array } {
  return {
    evenKey: concatBytes(Uint8Array.of(2), publicKey.subarray(1)),
    evenSecret: publicKey[0] === 2 ? key : Fn.toBytes(Fn.neg(Fn.fromBytes(key))),
  }
}

/** A partial signature over other keys or nonces than the caller claims could reveal the key. */
function assertTakesPart({ keys, nonces }: MusigMessage, ownKey: Uint8Array, ownNonce: Uint8Array): void {
  const isOwn = (index: number) => isSame(ownKey, keys[index]) && isSame(ownNonce, nonces[index])
  if (keys.length !== nonces.length || !keys.some((_, index) => isOwn(index)))
    throw new Error('own key and own nonce are not at the same place in the session')
}

/** The secret is k1 ‖ k2, to be wiped after its one use. */
export type Nonce = { readonly secret: Uint8Array; readonly public: Uint8Array }

/** NonceGen gets no message and aggregate key, which are not known yet, so only fresh randomness makes two nonces differ. */
export function generateNonce(publicKey: Uint8Array, secretKey: Uint8Array, random: Uint8Array = randomBytes(32)): Nonce {
  const blind = schnorr.utils.taggedHash('MuSig/aux', random)
  const rand = secretKey.map((byte, index) => byte ^ (blind[index] ?? 0))
  // These bytes are len(pk) ‖ pk ‖ len(aggpk) = 0 ‖ no message ‖ len(extra_in) = 0, four bytes.
  const rest = concatBytes(Uint8Array.of(KEY_BYTES), publicKey, new Uint8Array(1 + 1 + 4))
  const [k1, k2] = [0, 1].map((index) => scalarOf('MuSig/nonce', rand, rest, Uint8Array.of(index)))
  if (k1 === undefined || k2 === undefined) throw new Error('the nonce does not have two parts')
  return {
    secret: concatBytes(Fn.toBytes(k1), Fn.toBytes(k2)),
    public: concatBytes(...[k1, k2].map((k) => Point.BASE.multiply(k).toBytes(true))),
  }
}

/** This is the step Sign of BIP327. */
export function signPartially(session: MusigMessage, publicKey: Uint8Array, secretKey: Uint8Array, secretNonce: Uint8Array): Uint8Array {
  const { b, r, weightOf } = sessionValues(session)
  const [k1, k2] = [secretNonce.subarray(0, SCALAR_BYTES), secretNonce.subarray(SCALAR_BYTES)].map((bytes) => {
    const k = Fn.fromBytes(bytes)
    return isOdd(r) ? Fn.neg(k) : k
  })
  if (k1 === undefined || k2 === undefined) throw new Error('the nonce does not have two parts')
  const weight = weightOf(publicKey)
  const k = Fn.add(k1, Fn.mul(b, k2))
  const s = Fn.add(k, Fn.mul(weight, Fn.fromBytes(secretKey)))
  // PartialSigVerify checks the own part, because a wrong one must not leave this function.
  if (!Point.BASE.mulAddUnsafe(s, pointOf(publicKey).negate(), weight).equals(Point.BASE.multiply(k)))
    throw new Error('the partial signature is not valid')
  return Fn.toBytes(s)
}
