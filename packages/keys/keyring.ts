/** A party has at most one key for each curve. No key is derived from that of another curve. */

import { randomBytes } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createEd25519Key } from './ed25519.ts'
import type { Curve, Key, PublicKey } from './key.ts'
import { createSecp256k1Key } from './secp256k1.ts'
import { createStarkKey, randomStarkPrivateKey } from './stark.ts'

const creators = { secp256k1: createSecp256k1Key, ed25519: createEd25519Key, stark: createStarkKey } as const

export const curves = Object.keys(creators) as readonly Curve[]

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createKey(curve: Curve, privateKey: string): Key {
  return creators[curve](privateKey)
}

/** The key is in hex. */
export function randomPrivateKey(curve: Curve): string {
  return bytesToHex(curve === 'stark' ? randomStarkPrivateKey() : randomBytes(32))
}

export interface PublicKeyring {
  of(curve: Curve): PublicKey
}

export interface Keyring extends PublicKeyring {
  of(curve: Curve): Key
  find(curve: Curve): Key | null
}

export function createPublicKeyring(keys: readonly PublicKey[]): PublicKeyring {
  return { of: (curve) => requireKey(curve, keys) }
}

export function createKeyring(keys: readonly Key[]): Keyring {
  return {
    find: (curve) => keys.find((one) => one.curve === curve) ?? null,
    of: (curve) => requireKey(curve, keys),
  }
}

function requireKey<T extends PublicKey>(curve: Curve, keys: readonly T[]): T {
  const key = keys.find((one) => one.curve === curve)
  if (key === undefined) throw new Error(`no ${curve} key is configured`)
  return key
}
