/** One signer's part of a signature by several keys: MuSig2 (BIP327), NonceGen and Sign. Names of steps are those of the standard. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes, randomBytes } from '@noble/hashes/utils.js'

/** One secret nonce for one signature. The nonce stays inside, and `sign` uses it up: a second call throws. */
export interface MusigSigning {
  readonly nonce: Uint8Array
  /** The partial signature. `tweaks`: x-only, applied in sequence to the aggregate of `keys`, which are in the sequence of `nonces`. */
  sign(session: MusigMessage): Uint8Array
}

export type MusigMessage = {
  readonly keys: readonly Uint8Array[]
  readonly nonces: readonly Uint8Array[]
  readonly message: Uint8Array
  readonly tweaks: readonly Uint8Array[]
}

/** One signer's part of a signature by two keys (BIP327), hex. */
export type PartialSignature = { readonly nonce: string; readonly signature: string }

const { Point } = secp256k1
const { Fn } = Point
type Point = InstanceType<typeof secp256k1.Point>

const KEY_BYTES = 33
const SCALAR_BYTES = 32

/**
 * A secret nonce in two signatures reveals the key (BIP327): the first use wipes it, even if that fails.
 * `own`: a nonce that was generated for this signature and is used nowhere else.
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

/** A fresh nonce for one signature. */
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

/** k1 ‖ k2, to be wiped after its one use, and the public nonce. */
export type Nonce = { readonly secret: Uint8Array; readonly public: Uint8Array }

/** NonceGen without message and aggregate key, which are not known yet: only fresh randomness makes two nonces differ. */
export function generateNonce(publicKey: Uint8Array, secretKey: Uint8Array, random: Uint8Array = randomBytes(32)): Nonce {
  const blind = schnorr.utils.taggedHash('MuSig/aux', random)
  const rand = secretKey.map((byte, index) => byte ^ (blind[index] ?? 0))
  // len(pk) ‖ pk ‖ len(aggpk) = 0 ‖ no message ‖ len(extra_in) = 0, four bytes.
  const rest = concatBytes(Uint8Array.of(KEY_BYTES), publicKey, new Uint8Array(1 + 1 + 4))
  const [k1, k2] = [0, 1].map((index) => scalarOf('MuSig/nonce', rand, rest, Uint8Array.of(index)))
  if (k1 === undefined || k2 === undefined) throw new Error('the nonce does not have two parts')
  return {
    secret: concatBytes(Fn.toBytes(k1), Fn.toBytes(k2)),
    public: concatBytes(...[k1, k2].map((k) => Point.BASE.multiply(k).toBytes(true))),
  }
}

/** Sign. All of `session` is public, so that operations on it need not take constant time. */
export function signPartially(session: MusigMessage, publicKey: Uint8Array, secretKey: Uint8Array, secretNonce: Uint8Array): Uint8Array {
  const { b, e, r, sign, coefficientOf } = sessionValues(session)
  const [k1, k2] = [secretNonce.subarray(0, SCALAR_BYTES), secretNonce.subarray(SCALAR_BYTES)].map((bytes) => {
    const k = Fn.fromBytes(bytes)
    return isEven(r) ? k : Fn.neg(k)
  })
  if (k1 === undefined || k2 === undefined) throw new Error('the nonce does not have two parts')
  const weight = Fn.mul(e, Fn.mul(coefficientOf(publicKey), sign))
  const k = Fn.add(k1, Fn.mul(b, k2))
  const s = Fn.add(k, Fn.mul(weight, Fn.fromBytes(secretKey)))
  // PartialSigVerify of the own part: a wrong one must not leave this function.
  if (!Point.BASE.mulAddUnsafe(s, pointOf(publicKey).negate(), weight).equals(Point.BASE.multiply(k)))
    throw new Error('the partial signature is not valid')
  return Fn.toBytes(s)
}

/** GetSessionValues. `sign`: g · gacc, the sign of the aggregate key. */
function sessionValues({ keys, nonces, message, tweaks }: MusigMessage) {
  if (nonces.some((nonce) => nonce.length !== 2 * KEY_BYTES)) throw new Error('a public nonce is two points')
  const { q, gacc, coefficientOf } = aggregateKeys(keys, tweaks)
  const aggregate = [0, KEY_BYTES].map((at) =>
    nonces.reduce((sum, nonce) => sum.add(pointOf(nonce.subarray(at, at + KEY_BYTES))), Point.ZERO),
  )
  const [r1 = Point.ZERO, r2 = Point.ZERO] = aggregate
  const b = scalarOf('MuSig/noncecoef', ...aggregate.map(toBytesExt), xOnly(q), message)
  const sum = r1.add(r2.multiplyUnsafe(b))
  const r = sum.is0() ? Point.BASE : sum
  const e = scalarOf('BIP0340/challenge', xOnly(r), xOnly(q), message)
  return { b, e, r, sign: isEven(q) ? gacc : Fn.neg(gacc), coefficientOf }
}

type Aggregate = { readonly q: Point; readonly gacc: bigint; readonly coefficientOf: (key: Uint8Array) => bigint }

const MAX_CACHED_AGGREGATES = 100
const aggregates = new Map<string, Aggregate>()

/** Cached: the deposits of one HTLC have one aggregate key. Nothing in it is secret. */
function aggregateKeys(keys: readonly Uint8Array[], tweaks: readonly Uint8Array[]): Aggregate {
  const id = [keys, tweaks].map((list) => list.map((bytes) => bytesToHex(bytes)).join()).join(' ')
  const known = aggregates.get(id)
  if (known !== undefined) return known
  const aggregate = computeAggregate(keys, tweaks)
  if (aggregates.size >= MAX_CACHED_AGGREGATES) aggregates.clear()
  aggregates.set(id, aggregate)
  return aggregate
}

/** KeyAgg and ApplyTweak, all tweaks x-only. */
function computeAggregate(keys: readonly Uint8Array[], tweaks: readonly Uint8Array[]): Aggregate {
  const list = schnorr.utils.taggedHash('KeyAgg list', ...keys)
  const [first] = keys
  const second = keys.find((key) => !isSame(key, first))
  const coefficientOf = (key: Uint8Array) => (isSame(key, second) ? 1n : scalarOf('KeyAgg coefficient', list, key))
  let q = keys.reduce((sum, key) => sum.add(pointOf(key).multiplyUnsafe(coefficientOf(key))), Point.ZERO)
  let gacc = 1n
  for (const tweak of tweaks) {
    const isNegated = !isEven(q)
    q = (isNegated ? q.negate() : q).add(Point.BASE.multiplyUnsafe(Fn.fromBytes(tweak)))
    gacc = isNegated ? Fn.neg(gacc) : gacc
  }
  return { q, gacc, coefficientOf }
}

const MAX_CACHED_POINTS = 1_000
const points = new Map<string, Point>()

/** Public keys and public nonces only. Cached: decompressing a point takes a square root, and one signing parses a nonce several times. */
export function pointOf(bytes: Uint8Array): Point {
  const id = bytesToHex(bytes)
  const known = points.get(id)
  if (known !== undefined) return known
  const point = Point.fromBytes(bytes)
  if (points.size >= MAX_CACHED_POINTS) points.clear()
  points.set(id, point)
  return point
}

function scalarOf(tag: string, ...parts: readonly Uint8Array[]): bigint {
  return Fn.create(BigInt(`0x${bytesToHex(schnorr.utils.taggedHash(tag, ...parts))}`))
}

function isEven(point: Point): boolean {
  return point.toAffine().y % 2n === 0n
}

function xOnly(point: Point): Uint8Array {
  return point.toBytes(true).subarray(1)
}

/** cbytes_ext: infinity is all zeros. */
function toBytesExt(point: Point): Uint8Array {
  return point.is0() ? new Uint8Array(KEY_BYTES) : point.toBytes(true)
}

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && bytesToHex(a) === bytesToHex(b)
}
