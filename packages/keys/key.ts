/** Private keys sign for a stated purpose, and cannot be read. */
import type { MusigSigning } from './musig2.ts'
import type { Purpose } from './purpose.ts'

export type Curve = 'secp256k1' | 'ed25519' | 'stark'

/** The public half is enough for an identity or an address. */
export type PublicKey = {
  readonly curve: Curve
  /** The key has 33 bytes on secp256k1 (compressed), 32 on ed25519, and 32 on stark (the x coordinate). */
  readonly publicKey: Uint8Array
}

/** A key signs only through `signerFor`, which needs a purpose. */
export type Key = KeyOf<Secp256k1Signer> | KeyOf<Ed25519Signer> | KeyOf<StarkSigner>

export interface KeyOf<S extends Signer> {
  readonly curve: S['curve']
  readonly publicKey: Uint8Array
  signerFor(purpose: Purpose): S
}

/** The key is bound to the purpose of its signatures. */
export type Signer = Secp256k1Signer | Ed25519Signer | StarkSigner

interface SignerOn<C extends Curve> {
  readonly curve: C
  readonly publicKey: Uint8Array
  readonly purpose: Purpose
}

export interface Secp256k1Signer extends SignerOn<'secp256k1'> {
  /** The signature has 65 bytes: r ‖ s ‖ recovery, low s. */
  signEcdsa(digest: Uint8Array): Uint8Array
  /** The signature is BIP340, 64 bytes, by the x-only form of `publicKey`. */
  signSchnorr(digest: Uint8Array): Uint8Array
  /** This starts one signature by several keys (BIP327), by the even-y form of `publicKey`. */
  startMusig(): MusigSigning
  /** The key is lent to jobs in worker threads: see `sign-in-worker.ts`. */
  lend(): LentKey
}

/** Jobs in worker threads may sign with the key that this stands for. It reveals nothing of the key. */
export type LentKey = { readonly curve: Curve; readonly purpose: Purpose }

export interface Ed25519Signer extends SignerOn<'ed25519'> {
  /** The signature is RFC 8032, pure: 64 bytes over the message itself, which may have any length. */
  signMessage(message: Uint8Array): Uint8Array
}

export interface StarkSigner extends SignerOn<'stark'> {
  /** The signature is ECDSA over a field element of 32 bytes that is below 2^251. It has 64 bytes: r ‖ s. */
  signFelt(digest: Uint8Array): Uint8Array
}

/** Throws for a key of another curve. */
export function onCurve<C extends Curve, T extends { readonly curve: Curve }>(curve: C, key: T): T & { readonly curve: C } {
  if (key.curve !== curve) throw new Error(`expected a key on ${curve}, got one on ${key.curve}`)
  return key as T & { readonly curve: C }
}
