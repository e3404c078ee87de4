/** Secrets and per-order keys at rest: AES-256-GCM under the operator's key, bound to their order and purpose. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { SealedPurpose } from '../database/schema.ts'

export type SealedValue = { readonly purpose: SealedPurpose; readonly sealed: Buffer }

export interface Vault {
  /** For callers that store it in the same statement as other rows. */
  seal(orderId: string, purpose: SealedPurpose, value: string): SealedValue
  put(db: Database, orderId: string, purpose: SealedPurpose, value: string): Promise<void>
  /** Null if there is none. Throws if it was sealed with another key or moved from another row. */
  get(db: Database, orderId: string, purpose: SealedPurpose): Promise<string | null>
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `key` is 32 bytes as hex. */
export function createVault(key: string): Vault {
  if (!/^[0-9a-fA-F]{64}$/.test(key)) throw new Error('the vault key must be 32 bytes as hex')
  const secretKey = Buffer.from(key, 'hex')
  const context = (orderId: string, purpose: SealedPurpose) => Buffer.from(`${orderId} ${purpose}`)

  function seal(orderId: string, purpose: SealedPurpose, value: string): SealedValue {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(context(orderId, purpose))
    return { purpose, sealed: Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]) }
  }

  return {
    seal,
    async put(db, orderId, purpose, value) {
      await db
        .insertInto('sealed_values')
        .values({ order_id: orderId, ...seal(orderId, purpose, value) })
        .execute()
    },
    async get(db, orderId, purpose) {
      const row = await db
        .selectFrom('sealed_values')
        .select('sealed')
        .where('order_id', '=', orderId)
        .where('purpose', '=', purpose)
        .executeTakeFirst()
      if (row === undefined) return null
      const nonce = row.sealed.subarray(0, NONCE_BYTES)
      const body = row.sealed.subarray(NONCE_BYTES, -TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', secretKey, nonce)
        .setAAD(context(orderId, purpose))
        .setAuthTag(row.sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
  }
}
