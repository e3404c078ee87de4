/** Integrators' apps. The 64-hex app id is stored hashed. */
import { createHash, randomBytes } from 'node:crypto'
import type { Database } from './database.ts'

export type App = {
  readonly name: string
  readonly defaultSlippageBips: number
  readonly gasSponsorship: boolean
  readonly allowedOrigins: readonly string[]
}

const hashAppId = (id: string): string => createHash('sha256').update(id).digest('hex')

/** The only time the id is shown. */
export async function createApp(db: Database, name: string): Promise<{ readonly appId: string }> {
  const appId = randomBytes(32).toString('hex')
  await db
    .insertInto('apps')
    .values({ name, id_hash: hashAppId(appId) })
    .execute()
  return { appId }
}

export async function findApp(db: Database, appId: string): Promise<App | null> {
  const row = await db
    .selectFrom('apps')
    .selectAll()
    .where('id_hash', '=', hashAppId(appId))
    .where('disabled', '=', false)
    .executeTakeFirst()
  return row === undefined
    ? null
    : {
        name: row.name,
        defaultSlippageBips: row.default_slippage_bips,
        gasSponsorship: row.gas_sponsorship,
        allowedOrigins: row.allowed_origins,
      }
}
