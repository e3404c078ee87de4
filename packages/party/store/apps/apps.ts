/** Stores integrators' apps. The 64-hex app id is stored hashed. */
import { createHash, randomBytes } from 'node:crypto'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Selectable } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { sharePerDatabase } from '../database/share-statements.ts'
import { type AppSettings, assertAppName, assertAppSettings } from './app-settings.ts'

export type App = AppSettings & { readonly name: string }

export type ListedApp = App & { readonly disabled: boolean; readonly createdAt: Date }

const hashAppId = (id: string): string => createHash('sha256').update(id).digest('hex')

/** Returns the id, which cannot be read again. */
export async function createApp(
  db: Database,
  name: string,
  settings: Partial<AppSettings> = {},
): Promise<{ readonly appId: string; readonly app: App }> {
  assertAppName(name)
  assertAppSettings(settings)
  const appId = randomBytes(32).toString('hex')
  const row = await db
    .insertInto('apps')
    .values({ name, id_hash: hashAppId(appId), ...columnsOf(settings) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new TandemError('conflict', `there is an app "${name}" already`)
  return { appId, app: appOf(row) }
}

/** Returns null for a disabled app too. */
export function findApp(db: Database, appId: string): Promise<App | null> {
  return findShared(db, hashAppId(appId))
}

/** Anyone can request with any id, so concurrent lookups share a statement and cannot take all connections. */
const findShared = sharePerDatabase<string, App | null>(async (db, hashes) => {
  const rows = await db.selectFrom('apps').selectAll().where('id_hash', '=', anyOf(hashes)).where('disabled', '=', false).execute()
  const found = new Map(rows.map((row) => [row.id_hash, appOf(row)]))
  return hashes.map((hash) => found.get(hash) ?? null)
})

export async function listOrigins(db: Database): Promise<ReadonlySet<string>> {
  const apps = await db.selectFrom('apps').select('allowed_origins').where('disabled', '=', false).execute()
  return new Set(apps.flatMap((app) => app.allowed_origins))
}

/** Returns how many fees of the app's users the service pays in 24 hours; null for no limit. */
export async function sponsoredPerDayOf(db: Database, name: string): Promise<number | null> {
  return (await db.selectFrom('apps').select('sponsored_per_day').where('name', '=', name).executeTakeFirstOrThrow()).sponsored_per_day
}

export async function listApps(db: Database): Promise<readonly ListedApp[]> {
  const rows = await db.selectFrom('apps').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ ...appOf(row), disabled: row.disabled, createdAt: row.created_at }))
}

export async function updateApp(db: Database, name: string, settings: Partial<AppSettings>): Promise<App> {
  assertAppSettings(settings)
  return appOf(await change(db, name, columnsOf(settings)))
}

/** The old id stops working at once. The new one cannot be read again. */
export async function rotateApp(db: Database, name: string): Promise<{ readonly appId: string }> {
  const appId = randomBytes(32).toString('hex')
  await change(db, name, { id_hash: hashAppId(appId) })
  return { appId }
}

export async function setAppDisabled(db: Database, name: string, disabled: boolean): Promise<void> {
  await change(db, name, { disabled })
}

type AppColumns = Partial<Omit<Selectable<Schema['apps']>, 'name' | 'created_at'>>

async function change(db: Database, name: string, columns: AppColumns): Promise<Selectable<Schema['apps']>> {
  const row = await db
    .updateTable('apps')
    // Setting the name to itself keeps an empty change a valid statement.
    .set({ name, ...columns })
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new TandemError('not_found', `there is no app "${name}"`)
  return row
}

function columnsOf(settings: Partial<AppSettings>) {
  const { defaultSlippageBips, sponsorship, allowedOrigins, permissions, rateLimitPerMinute, approval, sponsoredPerDay } = settings
  return {
    ...(defaultSlippageBips !== undefined && { default_slippage_bips: defaultSlippageBips }),
    ...(sponsorship !== undefined && { gas_sponsorship: sponsorship }),
    ...(allowedOrigins !== undefined && { allowed_origins: [...allowedOrigins] }),
    ...(permissions !== undefined && { permissions: [...permissions] }),
    ...(rateLimitPerMinute !== undefined && { rate_limit_per_minute: rateLimitPerMinute }),
    ...(approval !== undefined && { approval }),
    ...(sponsoredPerDay !== undefined && { sponsored_per_day: sponsoredPerDay }),
  } satisfies AppColumns
}

function appOf(row: Selectable<Schema['apps']>): App {
  return {
    name: row.name,
    defaultSlippageBips: row.default_slippage_bips,
    sponsorship: row.gas_sponsorship,
    allowedOrigins: row.allowed_origins,
    permissions: row.permissions,
    rateLimitPerMinute: row.rate_limit_per_minute,
    approval: row.approval,
    sponsoredPerDay: row.sponsored_per_day,
  }
}
