/** A party has at most one key for each curve, and for each chain. No key is derived from another. */

import { randomBytes } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { createEd25519Key } from './ed25519.ts'
import { type Curve, type Key, onCurve, type PublicKey } from './key.ts'
import type { PermitSigning, SigningRequest } from './permit.ts'
import { createSecp256k1Key } from './secp256k1.ts'
import { createStarkKey, randomStarkPrivateKey } from './stark.ts'

const creators = { secp256k1: createSecp256k1Key, ed25519: createEd25519Key, stark: createStarkKey } as const

export const curves = Object.keys(creators) as readonly Curve[]

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createKey(curve: Curve, privateKey: string): Key {
  return creators[curve](privateKey)
}

/** This key was made for the user of one order, and signs in the user's place. */
export function createOrderKey(place: SigningPlace, privateKey: string): Key {
  return permittedBy(place, createKey(place.curve, privateKey), { isOrderKey: true })
}

/** The key is in hex. */
export function randomPrivateKey(curve: Curve): string {
  return bytesToHex(curve === 'stark' ? randomStarkPrivateKey() : randomBytes(32))
}

/** What signs on a chain: the chain's own key, or else that of its curve. A client of a chain is one. Its keys sign only what it permits. */
export type SigningPlace = { readonly chain: { readonly id: ChainId }; readonly curve: Curve; readonly permitSigning?: PermitSigning }

export interface PublicKeyring<K extends PublicKey = PublicKey> {
  /** Throws if there is none. */
  of(place: SigningPlace): K
  find(place: SigningPlace): K | null
  /** The key of all chains of the curve that have no key of their own. */
  findByCurve(curve: Curve): K | null
}

export type Keyring = PublicKeyring<Key>

/** Throws if a chain's own key is also another's: it would be separate in name only. */
export function createKeyring<K extends PublicKey>(byCurve: readonly K[], byChain: ReadonlyMap<ChainId, K> = new Map()): PublicKeyring<K> {
  assertSeparate(byCurve, byChain)
  const findByCurve = (curve: Curve) => byCurve.find((one) => one.curve === curve) ?? null
  const find = (place: SigningPlace) => {
    const own = byChain.get(place.chain.id)
    const key = own === undefined ? findByCurve(place.curve) : onCurve(place.curve, own)
    return key === null ? null : permittedBy(place, key)
  }
  return {
    find,
    findByCurve,
    of(place) {
      const key = find(place)
      if (key === null) throw new Error(`no ${place.curve} key is configured, which ${place.chain.id} needs`)
      return key
    },
  }
}

function permittedBy<K extends PublicKey>({ permitSigning }: SigningPlace, key: K, kind: Pick<SigningRequest, 'isOrderKey'> = {}): K {
  if (permitSigning === undefined || !isPrivate(key)) return key
  const signerFor: Key['signerFor'] = (purpose) => ({
    ...key.signerFor(purpose),
    permit: (operation, args) => permitSigning({ key, purpose, operation, args, ...kind }),
  })
  return { ...key, signerFor }
}

function isPrivate<K extends PublicKey>(key: K): key is K & Key {
  return 'signerFor' in key
}

function assertSeparate(byCurve: readonly PublicKey[], byChain: ReadonlyMap<ChainId, PublicKey>): void {
  const owners = new Map(byCurve.map((key) => [nameOf(key), key.curve as string]))
  for (const [chain, key] of byChain) {
    const other = owners.get(nameOf(key))
    if (other !== undefined) throw new Error(`the key of ${chain} is also that of ${other}: make another, or leave it out`)
    owners.set(nameOf(key), chain)
  }
}

const nameOf = ({ curve, publicKey }: PublicKey) => `${curve} ${bytesToHex(publicKey)}`
