/** Stores the endpoints of apps. Their secrets are sealed. */
import { randomBytes } from 'node:crypto'
import { TandemError } from '@tandem/protocol/error.ts'
import { sql } from 'kysely'
import { number, shape, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import type { Sealer, Vault } from '../orders/sealed-values.ts'

export type Webhook = {
  readonly id: string
  readonly app: string
  readonly url: string
  readonly failures: number
  readonly pending: number
  readonly dead: number
  readonly createdAt: Date
}

const MAX_PER_APP = 10
/** After a rotation both secrets sign for this long. */
const ROTATION_HOURS = 24
const PURPOSE = 'webhook-secret'

/** The Standard Webhooks convention asks for 24 to 64 random bytes. */
const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export async function addWebhook(
  db: Database,
  sealer: Sealer,
  app: string,
  url: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const id = `wh_${randomBytes(8).toString('hex')}`
  const secret = createWebhookSecret()
  const known = await db.selectFrom('apps').select('name').where('name', '=', app).executeTakeFirst()
  if (known === undefined) throw new TandemError('not_found', `there is no app "${app}"`)
  const others = await db.selectFrom('webhooks').select('url').where('app', '=', app).execute()
  if (others.some((other) => other.url === url)) throw new TandemError('conflict', `"${app}" has a webhook to ${url} already`)
  if (others.length >= MAX_PER_APP) throw new TandemError('conflict', `"${app}" has ${MAX_PER_APP} webhooks, as many as it may`)
  await db
    .insertInto('webhooks')
    .values({ id, app, url, secret: sealer.seal(id, PURPOSE, secret).sealed })
    .execute()
  return { id, secret }
}

export async function listWebhooks(db: Database): Promise<readonly Webhook[]> {
  const rows = await readRows(
    db,
    shape({ id: text, app: text, url: text, failures: number, pending: number, dead: number, created_at: time }),
  )`
    select id, app, url, failures, created_at,
      (select count(*)::integer from webhook_deliveries where webhook_id = webhooks.id and dead_at is null) as pending,
      (select count(*)::integer from webhook_deliveries where webhook_id = webhooks.id and dead_at is not null) as dead
    from webhooks order by app, created_at`
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at }))
}

/** Returns the secrets that sign now, the newest first. */
export async function findWebhook(
  db: Database,
  vault: Pick<Vault, 'open'>,
  id: string,
): Promise<{ readonly app: string; readonly url: string; readonly secrets: readonly string[] }> {
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw unknownWebhook(id)
  return { app: row.app, url: row.url, secrets: secretsOf(vault, row) }
}

type Sealed = {
  readonly id: string
  readonly secret: Buffer
  readonly old_secret: Buffer | null
  readonly old_secret_until: Date | null
}

function secretsOf(vault: Pick<Vault, 'open'>, { id, secret, old_secret, old_secret_until }: Sealed): readonly string[] {
  const isOldValid = old_secret !== null && old_secret_until !== null && old_secret_until > new Date()
  return [secret, ...(isOldValid ? [old_secret] : [])].map((sealed) => vault.open(id, PURPOSE, sealed))
}

/** Returns the new secret. For a day the old one signs too. */
export async function rotateWebhook(db: Database, sealer: Sealer, id: string): Promise<string> {
  const secret = createWebhookSecret()
  const rows = await sql`
    update webhooks set old_secret = secret, old_secret_until = now() + make_interval(hours => ${ROTATION_HOURS}),
      secret = ${sealer.seal(id, PURPOSE, secret).sealed}
    where id = ${id} returning id`.execute(db)
  if (rows.rows.length === 0) throw unknownWebhook(id)
  return secret
}

export async function removeWebhook(db: Database, id: string): Promise<void> {
  const row = await db.deleteFrom('webhooks').where('id', '=', id).returning('id').executeTakeFirst()
  if (row === undefined) throw unknownWebhook(id)
}

function unknownWebhook(id: string): TandemError {
  return new TandemError('not_found', `there is no webhook "${id}": \`tandem webhooks list\` shows all`)
}

export async function hasWebhooks(db: Database): Promise<boolean> {
  return (await db.selectFrom('webhooks').select('id').limit(1).executeTakeFirst()) !== undefined
}
