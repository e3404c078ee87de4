/** `tandem operator`: creates, lists and revokes the tokens for the operator page. */
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { createOperatorToken, type ListedToken, listOperatorTokens, revokeOperatorToken } from '@tandem/party/store/operators/tokens.ts'
import { configPath } from './config-path.ts'
import { formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'

type Place = { readonly config?: string | undefined }

export async function createTokenCommand(name: string, options: Place & { readonly write?: boolean }, terminal: Terminal): Promise<void> {
  const mayWrite = options.write === true
  terminal.answer(await withDatabase(options, (db) => createOperatorToken(db, name, mayWrite)))
  terminal.note(
    `This is the token "${name}" for /operator, and for /metrics as a bearer token. It ${mayWrite ? 'may halt and resume chains' : 'only reads'}. It is shown only now and stored nowhere.`,
  )
}

export async function listTokensCommand(options: Place & { readonly json?: boolean }, terminal: Terminal): Promise<void> {
  const tokens = await withDatabase(options, listOperatorTokens)
  if (options.json) terminal.answer(JSON.stringify(tokens.map(recordOf), null, 2))
  else if (tokens.length === 0) terminal.note('There are no tokens yet: `tandem operator token NAME` creates one.')
  else terminal.answer(formatTable([['name', 'may', 'created'], ...tokens.map(cellsOf)]))
}

export async function revokeTokenCommand(name: string, options: Place, terminal: Terminal): Promise<void> {
  await withDatabase(options, (db) => revokeOperatorToken(db, name))
  terminal.note(`"${name}" is revoked: it and its sessions are refused within seconds.`)
}

const recordOf = ({ name, mayWrite, createdAt }: ListedToken) => ({ name, write: mayWrite, created_at: createdAt.toISOString() })

const cellsOf = ({ name, mayWrite, createdAt }: ListedToken): readonly string[] => [
  name,
  mayWrite ? 'read and write' : 'read',
  createdAt.toISOString().slice(0, 10),
]

async function withDatabase<T>({ config }: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const loaded = await loadConfig(ServiceConfig, configPath(config))
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
