/** Private keys as the rest of the code sees them: they sign for a stated purpose, and the private key cannot be read. */
import type { MusigSigning } from './musig2.ts'
import type { Purpose } from './purpose.ts'

export type Curve = 'secp256k1' | 'ed25519' | 'stark'

/** The public half: enough for an identity or an address. */
export type PublicKey = {
  readonly curve: Curve
  /** secp256k1: 33 bytes, compressed. ed25519: 32 bytes. stark: the x coordinate, 32 bytes. */
  readonly publicKey: Uint8Array
}

/** Signs only through `signerFor`, which needs a purpose. */
export type Key = KeyOf<Secp256k1Signer> | KeyOf<Ed25519Signer> | KeyOf<StarkSigner>

export interface KeyOf<S extends Signer> {
  readonly curve: S['curve']
  readonly publicKey: Uint8Array
  signerFor(purpose: Purpose): S
}

/** A key bound to the purpose of its signatures. */
export type Signer = Secp256k1Signer | Ed25519Signer | StarkSigner

interface SignerOn<C extends Curve> {
  readonly curve: C
  readonly publicKey: Uint8Array
  readonly purpose: Purpose
}

export interface Secp256k1Signer extends SignerOn<'secp256k1'> {
  /** 65 bytes: r ‖ s ‖ recovery, low s. */
  signEcdsa(digest: Uint8Array): Uint8Array
  /** BIP340, 64 bytes, by the x-only form of `publicKey`. */
  signSchnorr(digest: Uint8Array): Uint8Array
  /** BIP327, by the even-y form of `publicKey`: starts one signature by several keys. */
  startMusig(): MusigSigning
  /** For jobs in worker threads, see `sign-in-worker.ts`. */
  lend(): LentKey
}

/** A key that jobs in worker threads may sign with. Shows nothing of the key. */
export type LentKey = { readonly curve: Curve; readonly purpose: Purpose }

export interface Ed25519Signer extends SignerOn<'ed25519'> {
  /** RFC 8032, pure: 64 bytes over the message itself, which may have any length. */
  signMessage(message: Uint8Array): Uint8Array
}

export interface StarkSigner extends SignerOn<'stark'> {
  /** ECDSA over a field element of 32 bytes that is below 2^251. 64 bytes: r ‖ s. */
  signFelt(digest: Uint8Array): Uint8Array
}

/** Throws for a key of another curve. */
export function onCurve<C extends Curve, T extends { readonly curve: Curve }>(curve: C, key: T): T & { readonly curve: C } {
  if (key.curve !== curve) throw new Error(`expected a key on ${curve}, got one on ${key.curve}`)
  return key as T & { readonly curve: C }
}
