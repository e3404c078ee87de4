/**
 * Seals secrets and per-order keys at rest, bound to their order and purpose, and authenticates rows. Two keys do this, both derived from the
 * operator's vault key: a `Sealer` has what is needed to write, and only a `Vault` opens.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { bytes, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { SealedPurpose } from '../database/schema.ts'
import { sharePerDatabase } from '../database/share-statements.ts'
import { createOpen, createSeal, createSealingPair } from './sealed-box.ts'

export type SealedValue = { readonly purpose: SealedPurpose; readonly sealed: Buffer }

/** What a process needs that writes orders. Nothing in it opens a sealed value. */
export type SealingKeys = {
  /** An X25519 public key in hex: values are sealed to it. */
  readonly publicKey: string
  /** 32 bytes in hex, secret: whoever has them and can write to the database can forge rows. */
  readonly sealKey: string
}

export interface Sealer {
  /** Values are sealed to this key, in hex. */
  readonly publicKey: string
  /** Callers store the result in the same statement as other rows. */
  seal(orderId: string, purpose: SealedPurpose, value: string): SealedValue
  /** Returns a code, in hex, that only a holder of the seal key can compute. */
  authenticate(text: string): string
  put(db: Database, orderId: string, purpose: SealedPurpose, value: string): Promise<void>
  /** Call this after these were stored: a vault needs most within seconds. Nothing overwrites them, and they stay sealed in memory. */
  remember(orderId: string, stored: readonly SealedValue[]): void
}

export interface Vault extends Sealer {
  /** Throws if the value was sealed for another key, or for something else. */
  open(orderId: string, purpose: SealedPurpose, sealed: Buffer): string
  /** Resolves to null if there is none. Throws if the value was sealed for another key or moved from another row. */
  get(db: Database, orderId: string, purpose: SealedPurpose): Promise<string | null>
}

const MAX_REMEMBERED = 1000

const select = prepare(
  'sealed-values',
  shape({ order_id: text, purpose: text, sealed: bytes }),
  `select order_id, purpose, sealed from sealed_values
  join unnest($1::text[], $2::text[]) as given (order_id, purpose) using (order_id, purpose)`,
)

const readSealed = sharePerDatabase<{ readonly orderId: string; readonly purpose: SealedPurpose }, Buffer | null>(async (db, asked) => {
  const rows = await select(db, [asked.map(({ orderId }) => orderId), asked.map(({ purpose }) => purpose)])
  const found = new Map(rows.map((row) => [`${row.order_id} ${row.purpose}`, row.sealed]))
  return asked.map(({ orderId, purpose }) => found.get(`${orderId} ${purpose}`) ?? null)
})

const nameOf = (orderId: string, purpose: SealedPurpose) => `${orderId} ${purpose}`

/** One key serves one purpose, so each is derived with a label of its own. */
const derive = (vaultKey: string, label: string) => Buffer.from(hkdfSync('sha256', Buffer.from(vaultKey, 'hex'), '', label, 32))

function openingPair(vaultKey: string) {
  if (!isKey(vaultKey)) throw new Error('the vault key must be 32 bytes as hex')
  return createSealingPair(derive(vaultKey, 'sealed values'))
}

export function deriveSealingKeys(vaultKey: string): SealingKeys {
  const { publicKey } = openingPair(vaultKey)
  return { publicKey, sealKey: derive(vaultKey, 'authenticated rows').toString('hex') }
}

export function createSealer({ publicKey, sealKey }: SealingKeys): Sealer {
  if (!isKey(publicKey)) throw new Error('the public key for sealing must be 32 bytes as hex')
  const authenticating = readSealKey(sealKey)
  const sealValue = createSeal(publicKey)
  const seal = (orderId: string, purpose: SealedPurpose, value: string) => ({ purpose, sealed: sealValue(nameOf(orderId, purpose), value) })
  return {
    publicKey,
    seal,
    authenticate: (text) => createHmac('sha256', authenticating).update(text).digest('hex'),
    async put(db, orderId, purpose, value) {
      await db
        .insertInto('sealed_values')
        .values({ order_id: orderId, ...seal(orderId, purpose, value) })
        .execute()
    },
    // Nothing here opens them.
    remember: () => undefined,
  }
}

/** Throws if this is no seal key. */
export function readSealKey(sealKey: string): KeyObject {
  if (!isKey(sealKey)) throw new Error('the seal key must be 32 bytes as hex')
  return createSecretKey(sealKey, 'hex')
}

const isKey = (text: string) => /^[0-9a-fA-F]{64}$/.test(text)

export function createVault(vaultKey: string): Vault {
  const openValue = createOpen(openingPair(vaultKey))
  const open = (orderId: string, purpose: SealedPurpose, sealed: Buffer) => openValue(nameOf(orderId, purpose), sealed)
  const remembered = new Map<string, Buffer>()
  return {
    ...createSealer(deriveSealingKeys(vaultKey)),
    open,
    remember(orderId, stored) {
      for (const { purpose, sealed } of stored) remembered.set(nameOf(orderId, purpose), sealed)
      // A map keeps the order of insertion.
      for (const oldest of remembered.keys()) {
        if (remembered.size <= MAX_REMEMBERED) break
        remembered.delete(oldest)
      }
    },
    async get(db, orderId, purpose) {
      const sealed = remembered.get(nameOf(orderId, purpose)) ?? (await readSealed(db, { orderId, purpose }))
      return sealed === null ? null : open(orderId, purpose, sealed)
    },
  }
}
