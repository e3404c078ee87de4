/** The public part of MuSig2 (BIP327) is KeyAgg, ApplyTweak and GetSessionValues. No value here is secret, so none needs constant time. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** The message that all signers sign together. `tweaks` are x-only and applied in sequence to the aggregate of `keys`, which are in the sequence of `nonces`. */
export type MusigMessage = {
  readonly keys: readonly Uint8Array[]
  readonly nonces: readonly Uint8Array[]
  readonly message: Uint8Array
  readonly tweaks: readonly Uint8Array[]
}

type Aggregate = {
  readonly q: Point
  /** This is `q`, compressed. */
  readonly bytes: Uint8Array
  readonly gacc: bigint
  readonly tacc: bigint
  coefficientOf(key: Uint8Array): bigint
}

type SessionValues = {
  readonly b: bigint
  /** This is R, compressed. */
  readonly r: Uint8Array
  /** This is e · g · tacc, which the tweaks add to the sum of all parts. */
  readonly tweakPart: bigint
  /** A signer's private key is multiplied by this: e · a · g · gacc. */
  weightOf(key: Uint8Array): bigint
}

const { Point } = secp256k1
const { Fn } = Point
type Point = InstanceType<typeof secp256k1.Point>

export const KEY_BYTES = 33
const MAX_CACHED_AGGREGATES = 200
const MAX_CACHED_POINTS = 1_000

const sessions = new WeakMap<MusigMessage, SessionValues>()

/** GetSessionValues. The result is cached by the message object, because a party that verifies the other's part and then signs needs it twice. */
export function sessionValues(session: MusigMessage): SessionValues {
  const known = sessions.get(session)
  if (known !== undefined) return known
  const values = computeSession(session)
  sessions.set(session, values)
  return values
}

function computeSession({ keys, nonces, message, tweaks }: MusigMessage): SessionValues {
  if (nonces.some((nonce) => nonce.length !== 2 * KEY_BYTES)) throw new Error('a public nonce is two points')
  const { bytes, gacc, tacc, coefficientOf } = aggregateKeys(keys, tweaks)
  const aggregate = [0, KEY_BYTES].map((at) =>
    nonces.reduce((sum, nonce) => sum.add(pointOf(nonce.subarray(at, at + KEY_BYTES))), Point.ZERO),
  )
  const [r1 = Point.ZERO, r2 = Point.ZERO] = aggregate
  const key = bytes.subarray(1)
  const b = scalarOf('MuSig/noncecoef', ...aggregate.map(toBytesExt), key, message)
  const sum = r1.add(r2.multiplyUnsafe(b))
  const r = (sum.is0() ? Point.BASE : sum).toBytes(true)
  const e = scalarOf('BIP0340/challenge', r.subarray(1), key, message)
  const signed = isOdd(bytes) ? Fn.neg(e) : e
  const weight = Fn.mul(signed, gacc)
  return { b, r, tweakPart: Fn.mul(signed, tacc), weightOf: (signer) => Fn.mul(weight, coefficientOf(signer)) }
}

const aggregates = new Map<string, Aggregate>()

/** KeyAgg and ApplyTweak, all tweaks x-only. The result is cached, because an address and all signatures for it have one aggregate key. */
export function aggregateKeys(keys: readonly Uint8Array[], tweaks: readonly Uint8Array[]): Aggregate {
  const id = [keys, tweaks].map((list) => list.map((bytes) => bytesToHex(bytes)).join()).join(' ')
  const known = aggregates.get(id)
  if (known !== undefined) return known
  const tweak = tweaks.at(-1)
  const aggregate = tweak === undefined ? sumOf(keys) : tweaked(aggregateKeys(keys, tweaks.slice(0, -1)), tweak)
  if (aggregates.size >= MAX_CACHED_AGGREGATES) aggregates.clear()
  aggregates.set(id, aggregate)
  return aggregate
}

/** The second distinct key has the coefficient 1. */
function sumOf(keys: readonly Uint8Array[]): Aggregate {
  const list = schnorr.utils.taggedHash('KeyAgg list', ...keys)
  const [first] = keys
  const second = keys.find((key) => !isSame(key, first))
  const coefficientOf = (key: Uint8Array) => (isSame(key, second) ? 1n : scalarOf('KeyAgg coefficient', list, key))
  const q = keys.reduce((sum, key) => sum.add(timesUnsafe(pointOf(key), coefficientOf(key))), Point.ZERO)
  return { q, bytes: q.toBytes(true), gacc: 1n, tacc: 0n, coefficientOf }
}

function tweaked({ q: before, bytes, gacc, tacc, coefficientOf }: Aggregate, tweak: Uint8Array): Aggregate {
  const isNegated = isOdd(bytes)
  const g = (value: bigint) => (isNegated ? Fn.neg(value) : value)
  const t = Fn.fromBytes(tweak)
  const q = (isNegated ? before.negate() : before).add(Point.BASE.multiplyUnsafe(t))
  return { q, bytes: q.toBytes(true), gacc: g(gacc), tacc: Fn.add(t, g(tacc)), coefficientOf }
}

function timesUnsafe(point: Point, factor: bigint): Point {
  return factor === 1n ? point : point.multiplyUnsafe(factor)
}

const points = new Map<string, Point>()

/** It is for public keys and public nonces only. The result is cached: decompressing a point takes a square root, and one signing parses a nonce several times. */
export function pointOf(bytes: Uint8Array): Point {
  const id = bytesToHex(bytes)
  const known = points.get(id)
  if (known !== undefined) return known
  const point = Point.fromBytes(bytes)
  if (points.size >= MAX_CACHED_POINTS) points.clear()
  points.set(id, point)
  return point
}

export function scalarOf(tag: string, ...parts: readonly Uint8Array[]): bigint {
  return Fn.create(BigInt(`0x${bytesToHex(schnorr.utils.taggedHash(tag, ...parts))}`))
}

/** Returns true if y of a compressed point is odd. */
export function isOdd(point: Uint8Array): boolean {
  return point[0] === 3
}

/** The form is cbytes_ext, where infinity is all zeros. */
function toBytesExt(point: Point): Uint8Array {
  return point.is0() ? new Uint8Array(KEY_BYTES) : point.toBytes(true)
}

export function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && bytesToHex(a) === bytesToHex(b)
}
