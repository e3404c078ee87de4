/**
 * Aggregates keys and signatures for the two parties of an HTLC by MuSig2 (BIP327).
 * All inputs are public, so nothing needs constant time. Secrets stay with the signers.
 */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { aggregateKeys, isOdd, type MusigMessage, pointOf, sessionValues } from '@tandem/keys/musig2-session.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'

export type Party = 'initiator' | 'redeemer'
type Parties = Pick<HtlcTerms, Party>
type Both<T> = Readonly<Record<Party, T>>
type Point = InstanceType<typeof secp256k1.Point>

const { Point } = secp256k1
const { Fn } = Point

const POINT_BYTES = 33

export type AggregateKey = {
  readonly internalKey: Uint8Array
  readonly tweak: Uint8Array
  /** The key is compressed: it has the output key and its parity. */
  readonly output: Uint8Array
}

/** The key is BIP327 KeyAgg of the sorted keys, then BIP341. `merkleRoot` is that of the leaves. */
export function aggregateKeyOf(parties: Parties, merkleRoot: Uint8Array): AggregateKey {
  const keys = inKeyOrder(parties, keysOf(parties))
  const internalKey = aggregateKeys(keys, []).bytes.subarray(1)
  const tweak = schnorr.utils.taggedHash('TapTweak', internalKey, merkleRoot)
  return { internalKey, tweak, output: aggregateKeys(keys, [tweak]).bytes }
}

export interface TwoPartySession {
  /** BIP327 PartialSigVerify: finds an invalid partial signature before aggregation. */
  isPartialValid(party: Party, part: Uint8Array): boolean
  /** BIP327 PartialSigAgg gives a signature of BIP340, with 64 bytes. */
  join(parts: Both<Uint8Array>): Uint8Array
}

/** Each party signs this message, in the order of the keys. */
export function messageOf(parties: Parties, key: AggregateKey, nonces: Both<Uint8Array>, hash: Uint8Array): MusigMessage {
  return { keys: inKeyOrder(parties, keysOf(parties)), nonces: inKeyOrder(parties, nonces), message: hash, tweaks: [key.tweak] }
}

/** `message` comes from `messageOf`. The result is null if the nonces cancel each other out, which never happens by accident. */
export function openSession(parties: Parties, nonces: Both<Uint8Array>, message: MusigMessage): TwoPartySession | null {
  const keys = keysOf(parties)
  const points = { initiator: noncePoints(nonces.initiator), redeemer: noncePoints(nonces.redeemer) }
  const cancels = (at: 0 | 1) => points.initiator[at].add(points.redeemer[at]).is0()
  if (cancels(0) || cancels(1)) return null
  const { b, r, tweakPart, weightOf } = sessionValues(message)
  return {
    isPartialValid(party, part) {
      const s = BigInt(`0x${bytesToHex(part)}`)
      if (part.length !== 32 || !Fn.isValidNot0(s)) return false
      const nonce = points[party][0].add(points[party][1].multiplyUnsafe(b))
      const expected = isOdd(r) ? nonce.negate() : nonce
      return Point.BASE.mulAddUnsafe(s, pointOf(keys[party]).negate(), weightOf(keys[party])).equals(expected)
    },
    join(parts) {
      const sum = Fn.add(Fn.fromBytes(parts.initiator), Fn.fromBytes(parts.redeemer))
      return concatBytes(r.subarray(1), Fn.toBytes(Fn.add(sum, tweakPart)))
    },
  }
}

/** A nonce is two points, 66 bytes in hex. The result is null for anything else. */
export function parseNonce(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{132}$/.test(text)) return null
  try {
    const nonce = hexToBytes(text)
    noncePoints(nonce)
    return nonce
  } catch {
    return null
  }
}

export function both<T>(party: Party, own: T, other: T): Both<T> {
  return party === 'initiator' ? { initiator: own, redeemer: other } : { initiator: other, redeemer: own }
}

function noncePoints(nonce: Uint8Array): readonly [Point, Point] {
  return [pointOf(nonce.subarray(0, POINT_BYTES)), pointOf(nonce.subarray(POINT_BYTES))]
}

/** The keys have even y, because terms have no parity. */
function keysOf({ initiator, redeemer }: Parties): Both<Uint8Array> {
  return { initiator: evenKey(hexToBytes(initiator)), redeemer: evenKey(hexToBytes(redeemer)) }
}

function evenKey(xOnly: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(2), xOnly)
}

/** BIP327 KeySort defines the order. */
function inKeyOrder<T>(parties: Parties, { initiator, redeemer }: Both<T>): readonly [T, T] {
  return isInitiatorFirst(parties) ? [initiator, redeemer] : [redeemer, initiator]
}

/** Lower-case hex of equal length sorts like its bytes. */
function isInitiatorFirst({ initiator, redeemer }: Parties): boolean {
  return initiator <= redeemer
}
