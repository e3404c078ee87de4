/** Encrypts secrets and per-order keys at rest: AES-256-GCM under the operator's key, bound to their order and purpose. */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { bytes, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { SealedPurpose } from '../database/schema.ts'
import { sharePerDatabase } from '../database/share-statements.ts'

export type SealedValue = { readonly purpose: SealedPurpose; readonly sealed: Buffer }

export interface Vault {
  /** Callers store the result in the same statement as other rows. */
  seal(orderId: string, purpose: SealedPurpose, value: string): SealedValue
  /** Throws if the value was sealed with another key, or for something else. */
  open(orderId: string, purpose: SealedPurpose, sealed: Buffer): string
  /** Returns a code, in hex, that only the holder of the vault key can compute. */
  authenticate(text: string): string
  put(db: Database, orderId: string, purpose: SealedPurpose, value: string): Promise<void>
  /** Call this after these were stored: most are needed within seconds. Nothing overwrites them, and they stay sealed in memory. */
  remember(orderId: string, stored: readonly SealedValue[]): void
  /** Resolves to null if there is none. Throws if the value was sealed with another key or moved from another row. */
  get(db: Database, orderId: string, purpose: SealedPurpose): Promise<string | null>
}

const NONCE_BYTES = 12
const NONCES_DRAWN = 256
const TAG_BYTES = 16
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

/** One draw serves many nonces, because each draw costs a system call. A nonce is public, and each is given once. */
function createNonces(): () => Buffer {
  let drawn = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === drawn.length) {
      drawn = randomBytes(NONCE_BYTES * NONCES_DRAWN)
      at = 0
    }
    at += NONCE_BYTES
    return drawn.subarray(at - NONCE_BYTES, at)
  }
}

export function createVault(key: string): Vault {
  if (!/^[0-9a-fA-F]{64}$/.test(key)) throw new Error('the vault key must be 32 bytes as hex')
  const secretKey = createSecretKey(key, 'hex')
  const nameOf = (orderId: string, purpose: SealedPurpose) => `${orderId} ${purpose}`
  const context = (orderId: string, purpose: SealedPurpose) => Buffer.from(nameOf(orderId, purpose))
  // A separate key, because one key serves one purpose.
  const authenticating = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'authenticated rows', 32)))
  const remembered = new Map<string, Buffer>()
  const drawNonce = createNonces()

  function seal(orderId: string, purpose: SealedPurpose, value: string): SealedValue {
    const nonce = drawNonce()
    const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(context(orderId, purpose))
    return { purpose, sealed: Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]) }
  }

  function open(orderId: string, purpose: SealedPurpose, sealed: Buffer): string {
    const nonce = sealed.subarray(0, NONCE_BYTES)
    const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', secretKey, nonce)
      .setAAD(context(orderId, purpose))
      .setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  }

  return {
    seal,
    open,
    authenticate: (text) => createHmac('sha256', authenticating).update(text).digest('hex'),
    async put(db, orderId, purpose, value) {
      await db
        .insertInto('sealed_values')
        .values({ order_id: orderId, ...seal(orderId, purpose, value) })
        .execute()
    },
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
