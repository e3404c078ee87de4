/** Private keys sign what an operation makes, for a stated purpose, and cannot be read. */
import type { Purpose } from './purpose.ts'

export type Curve = 'secp256k1' | 'ed25519' | 'stark'

/** The public half is enough for an identity or an address. */
export type PublicKey = {
  readonly curve: Curve
  /** The key has 33 bytes on secp256k1 (compressed), 32 on ed25519, and 32 on stark (the x coordinate). */
  readonly publicKey: Uint8Array
}

/** Stands for a key, and reveals nothing of it. */
export type KeyHandle = { readonly curve: Curve }

/** A key signs only through `signerFor`, which needs a purpose. */
export interface Key<C extends Curve = Curve> {
  readonly curve: C
  readonly publicKey: Uint8Array
  signerFor(purpose: Purpose): Signer<C>
}

/**
 * A signer is a key bound to the purpose of its signatures. It has no method that signs: operations do (`operations.ts`), which run where the key is and make
 * the bytes to be signed themselves. So nobody can have a digest signed without saying what it is.
 */
export interface Signer<C extends Curve = Curve> {
  readonly curve: C
  readonly publicKey: Uint8Array
  readonly purpose: Purpose
  readonly handle: KeyHandle
  /** It is called before and after each operation, and throws to refuse: what it guards may have changed meanwhile. */
  assertMaySign?(): void
  /** It is called before each operation, and throws unless that serves the purpose. */
  permit?(operation: string, args: readonly unknown[]): void
}

/** Throws for a key of another curve. */
export function onCurve<C extends Curve, T extends { readonly curve: Curve }>(curve: C, key: T): T & { readonly curve: C } {
  if (key.curve !== curve) throw new Error(`expected a key on ${curve}, got one on ${key.curve}`)
  return key as T & { readonly curve: C }
}
