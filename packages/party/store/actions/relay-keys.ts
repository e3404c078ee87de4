/** The public keys that relay, written by engines for processes that have no private key. */
import type { Database } from '../database/database.ts'

export type RelayKey = { readonly curve: string /** Hex. */; readonly publicKey: string }

export async function publishRelayKeys(db: Database, keys: readonly RelayKey[]): Promise<void> {
  if (keys.length === 0) return
  await db
    .insertInto('relay_keys')
    .values(keys.map(({ curve, publicKey }) => ({ curve, public_key: publicKey })))
    .onConflict((conflict) => conflict.column('curve').doUpdateSet((eb) => ({ public_key: eb.ref('excluded.public_key') })))
    .execute()
}

export async function readRelayKeys(db: Database): Promise<readonly RelayKey[]> {
  const rows = await db.selectFrom('relay_keys').selectAll().orderBy('curve').execute()
  return rows.map((row) => ({ curve: row.curve, publicKey: row.public_key }))
}
