/** MuSig2 (BIP327) for the two parties of an HTLC: their keys as one key, and their parts as one signature. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { nonceAggregate, Session } from '@scure/btc-signer/musig2.js'
import { compareBytes } from '@scure/btc-signer/utils.js'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import type { MusigMessage } from '../family.ts'

export type Party = 'initiator' | 'redeemer'
type Both<T> = Readonly<Record<Party, T>>

/** x-only bytes of a public key, and the point with even y that they stand for. */
export type SharedKey = { readonly xOnly: Uint8Array; readonly point: InstanceType<typeof secp256k1.Point> }

const { Point } = secp256k1

/** BIP327 KeyAgg of the sorted keys, each in the form with even y (02 ‖ x), as terms name no parity. The coefficients are public: no need for constant time. */
export function aggregateKey(parties: Pick<HtlcTerms, Party>): SharedKey {
  const [first, second] = inSequence(parties, keysOf(parties))
  const list = schnorr.utils.taggedHash('KeyAgg list', first, second)
  const coefficient = BigInt(`0x${bytesToHex(schnorr.utils.taggedHash('KeyAgg coefficient', list, first))}`)
  const weighted = Point.fromBytes(first).multiplyUnsafe(Point.Fn.create(coefficient))
  // BIP327: the second distinct key has the coefficient 1; two equal keys both have the first one's.
  const sum = weighted.add(parties.initiator === parties.redeemer ? weighted : Point.fromBytes(second)).toAffine()
  const point = Point.fromAffine({ x: sum.x, y: sum.y % 2n === 0n ? sum.y : Point.Fp.neg(sum.y) })
  return { xOnly: Point.Fp.toBytes(sum.x), point }
}

export interface TwoPartySession {
  /** What each of them signs. */
  readonly message: MusigMessage
  /** BIP327 PartialSigVerify: a part that would spoil the signature is found before the parts are joined. */
  isPartRight(party: Party, part: Uint8Array): boolean
  /** BIP340, 64 bytes. */
  join(parts: Both<Uint8Array>): Uint8Array
}

/** `tweak`: of taproot, applied to the aggregate of the keys (BIP341). */
export function openSession(
  parties: Pick<HtlcTerms, Party>,
  nonces: Both<Uint8Array>,
  hash: Uint8Array,
  tweak: Uint8Array,
): TwoPartySession {
  const keys = inSequence(parties, keysOf(parties))
  const sequence = inSequence(parties, { initiator: 'initiator', redeemer: 'redeemer' } as const)
  const message = { keys, nonces: inSequence(parties, nonces), message: hash, tweaks: [tweak] }
  // Not needed to sign, and it takes as long as signing.
  let opened: Session | null = null
  const session = () => {
    opened ??= new Session(nonceAggregate([...message.nonces]), [...keys], hash, [tweak], [true])
    return opened
  }
  return {
    message,
    isPartRight: (party, part) => session().partialSigVerify(part, [...message.nonces], sequence.indexOf(party)),
    join: (parts) => session().partialSigAgg([...inSequence(parties, parts)]),
  }
}

/** 66 bytes as hex, two points; null for anything else. */
export function parseNonce(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{132}$/.test(text)) return null
  try {
    const nonce = hexToBytes(text)
    nonceAggregate([nonce])
    return nonce
  } catch {
    return null
  }
}

export function both<T>(party: Party, own: T, other: T): Both<T> {
  return party === 'initiator' ? { initiator: own, redeemer: other } : { initiator: other, redeemer: own }
}

function keysOf({ initiator, redeemer }: Pick<HtlcTerms, Party>): Both<Uint8Array> {
  const evenKey = (xOnly: string) => concatBytes(Uint8Array.of(2), hexToBytes(xOnly))
  return { initiator: evenKey(initiator), redeemer: evenKey(redeemer) }
}

/** BIP327 KeySort. */
function inSequence<T>(parties: Pick<HtlcTerms, Party>, { initiator, redeemer }: Both<T>): readonly [T, T] {
  return compareBytes(hexToBytes(parties.initiator), hexToBytes(parties.redeemer)) <= 0 ? [initiator, redeemer] : [redeemer, initiator]
}
