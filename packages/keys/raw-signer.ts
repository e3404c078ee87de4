/** Raw signers sign bytes without knowing what they mean. Only operations get one, and users of their own key. */
import type { Curve } from './key.ts'
import type { MusigSigning } from './musig2.ts'
import type { Purpose } from './purpose.ts'

interface RawSignerOn<C extends Curve> {
  readonly curve: C
  readonly publicKey: Uint8Array
  readonly purpose: Purpose
}

export interface RawSigners {
  readonly secp256k1: Secp256k1RawSigner
  readonly ed25519: Ed25519RawSigner
  readonly stark: StarkRawSigner
}

export interface Secp256k1RawSigner extends RawSignerOn<'secp256k1'> {
  /** The signature has 65 bytes: r ‖ s ‖ recovery, low s. */
  signEcdsa(digest: Uint8Array): Uint8Array
  /** The signature is BIP340, 64 bytes, by the x-only form of `publicKey`. */
  signSchnorr(digest: Uint8Array): Uint8Array
  /** This starts one signature by several keys (BIP327), by the even-y form of `publicKey`. */
  startMusig(): MusigSigning
}

export interface Ed25519RawSigner extends RawSignerOn<'ed25519'> {
  /** The signature is RFC 8032, pure: 64 bytes over the message itself, which may have any length. */
  signMessage(message: Uint8Array): Uint8Array
}

export interface StarkRawSigner extends RawSignerOn<'stark'> {
  /** The signature is ECDSA over a field element of 32 bytes that is below 2^251. It has 64 bytes: r ‖ s. */
  signFelt(digest: Uint8Array): Uint8Array
}
