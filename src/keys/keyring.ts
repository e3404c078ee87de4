/** The keys of one party, at most one for each curve. No key is derived from that of another curve. */

import { randomBytes } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createEd25519Key } from './ed25519.ts'
import type { Curve, Key } from './key.ts'
import { createSecp256k1Key } from './secp256k1.ts'
import { createStarkKey, randomStarkPrivateKey } from './stark.ts'

const creators = { secp256k1: createSecp256k1Key, ed25519: createEd25519Key, stark: createStarkKey } as const

export const curves = Object.keys(creators) as readonly Curve[]

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createKey(curve: Curve, privateKey: string): Key {
  return creators[curve](privateKey)
}

/** Hex. */
export function randomPrivateKey(curve: Curve): string {
  return bytesToHex(curve === 'stark' ? randomStarkPrivateKey() : randomBytes(32))
}

export interface Keyring {
  /** Throws when there is none. */
  of(curve: Curve): Key
  find(curve: Curve): Key | null
}

export function createKeyring(keys: readonly Key[]): Keyring {
  const find = (curve: Curve) => keys.find((one) => one.curve === curve) ?? null
  return {
    find,
    of(curve) {
      const key = find(curve)
      if (key === null) throw new Error(`no ${curve} key is configured`)
      return key
    },
  }
}
