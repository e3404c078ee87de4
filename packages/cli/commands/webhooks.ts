/** `tandem webhooks` manages endpoints of apps that get each event of their orders. */
import { randomUUID } from 'node:crypto'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import type { Vault } from '@tandem/party/store/orders/sealed-values.ts'
import { replayDead, replaySince } from '@tandem/party/store/webhooks/deliveries.ts'
import { addWebhook, findWebhook, listWebhooks, removeWebhook, rotateWebhook, type Webhook } from '@tandem/party/store/webhooks/webhooks.ts'
import { readVault } from '@tandem/service/sealing.ts'
import { sendMessage, urlProblem } from '@tandem/service/webhooks/send.ts'
import { signWebhook } from '@tandem/service/webhooks/webhook-worker.ts'
import { configPath } from './config-path.ts'
import { formatTable, type Terminal } from './terminal.ts'

type Place = { readonly config?: string | undefined }
type Opened = { readonly db: Database; readonly vault: Vault; readonly allowPrivate: boolean }

export async function addWebhookCommand(app: string, url: string, options: Place, terminal: Terminal): Promise<void> {
  const { id, secret } = await withStore(options, ({ db, vault, allowPrivate }) => {
    const problem = urlProblem(url, allowPrivate)
    if (problem !== null) throw new Error(`${url}: ${problem}`)
    return addWebhook(db, vault, app, url)
  })
  terminal.answer(secret)
  terminal.note(`This is the secret of webhook ${id}, with which "${app}" verifies messages. It is shown only now.`)
}

export async function listWebhooksCommand(options: Place & { readonly json?: boolean }, terminal: Terminal): Promise<void> {
  const webhooks = await withStore(options, ({ db }) => listWebhooks(db))
  if (options.json) terminal.answer(JSON.stringify(webhooks.map(recordOf), null, 2))
  else if (webhooks.length === 0) terminal.note('There are no webhooks yet: `tandem webhooks add APP URL` adds one.')
  else terminal.answer(formatTable([['id', 'app', 'url', 'failures', 'waiting', 'dead', 'created'], ...webhooks.map(cellsOf)]))
}

export async function testWebhookCommand(id: string, options: Place, terminal: Terminal): Promise<void> {
  const { ok, error } = await withStore(options, async ({ db, vault, allowPrivate }) => {
    const { url, secrets } = await findWebhook(db, vault, id)
    const now = new Date()
    const body = JSON.stringify({ type: 'test', timestamp: now.toISOString(), data: {} })
    const headers = signWebhook(`msg_${randomUUID()}`, BigInt(Math.floor(now.getTime() / 1000)), body, secrets)
    return sendMessage({ url, headers, body, allowPrivate })
  })
  if (!ok) throw new Error(`the message of type "test" was not accepted: ${error}`)
  terminal.note('The message of type "test" was accepted.')
}

export async function rotateWebhookCommand(id: string, options: Place, terminal: Terminal): Promise<void> {
  terminal.answer(await withStore(options, ({ db, vault }) => rotateWebhook(db, vault, id)))
  terminal.note('This is the new secret; it is shown only now. For 24 hours messages are signed with the old one too.')
}

export async function replayWebhookCommand(id: string, options: Place & { readonly since?: string }, terminal: Terminal): Promise<void> {
  const { since } = options
  const from = since === undefined ? null : new Date(since)
  if (from !== null && Number.isNaN(from.getTime())) throw new Error(`--since takes a time such as 2026-01-31T12:00:00Z, got "${since}"`)
  const count = await withStore(options, async ({ db, vault }) => {
    await findWebhook(db, vault, id)
    return from === null ? replayDead(db, id) : replaySince(db, id, from)
  })
  terminal.note(`${count} messages are delivered once more; a running service begins within seconds.`)
}

export async function removeWebhookCommand(id: string, options: Place, terminal: Terminal): Promise<void> {
  await withStore(options, ({ db }) => removeWebhook(db, id))
  terminal.note(`Webhook ${id} is removed, with its undelivered messages.`)
}

async function withStore<T>({ config }: Place, work: (opened: Opened) => Promise<T>): Promise<T> {
  const loaded = await loadConfig(ServiceConfig, configPath(config), 'database')
  const vault = await readVault(loaded, 'this command')
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    return await work({ db, vault, allowPrivate: loaded.config.webhooks?.allow_private ?? false })
  } finally {
    await db.destroy()
  }
}

const recordOf = ({ createdAt, ...webhook }: Webhook) => ({ ...webhook, created_at: createdAt.toISOString() })

const cellsOf = ({ id, app, url, failures, pending, dead, createdAt }: Webhook): readonly string[] => [
  id,
  app,
  url,
  String(failures),
  String(pending),
  String(dead),
  createdAt.toISOString().slice(0, 10),
]
