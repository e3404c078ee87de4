/** What the rest of the code may ask of a private key: signatures, never the key itself. */

export interface Signer {
  /** Compressed secp256k1. */
  readonly publicKey: Uint8Array
  /** 65 bytes: r ‖ s ‖ recovery, low s. */
  signEcdsa(hash: Uint8Array): Uint8Array
  /** BIP340, 64 bytes, by the x-only form of `publicKey`. */
  signSchnorr(hash: Uint8Array): Uint8Array
  /** BIP327, by the even-y form of `publicKey`: the start of one signature together with others. */
  startMusig(): MusigSigning
}

/** One signature's worth of a secret nonce, which never leaves it and is used up by `sign`: a second call throws. */
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
