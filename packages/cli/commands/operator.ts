/** `tandem operator` creates, lists and revokes the tokens for the operator page. */
import { createOperatorToken, type ListedToken, listOperatorTokens, revokeOperatorToken } from '@tandem/party/store/operators/tokens.ts'
import { type ConfigOption, withDatabase } from './config-path.ts'
import { formatTable, type Terminal } from './terminal.ts'

export async function createTokenCommand(
  name: string,
  options: ConfigOption & { readonly write?: boolean },
  terminal: Terminal,
): Promise<void> {
  const mayWrite = options.write === true
  terminal.answer(await withDatabase(options, (db) => createOperatorToken(db, name, mayWrite)))
  terminal.note(
    `This is the token "${name}" for /operator, and for /metrics as a bearer token. It ${mayWrite ? 'may halt and resume chains' : 'only reads'}. It is shown only now and stored nowhere.`,
  )
}

export async function listTokensCommand(options: ConfigOption & { readonly json?: boolean }, terminal: Terminal): Promise<void> {
  const tokens = await withDatabase(options, listOperatorTokens)
  if (options.json) terminal.answer(JSON.stringify(tokens.map(recordOf), null, 2))
  else if (tokens.length === 0) terminal.note('There are no tokens yet: `tandem operator token NAME` creates one.')
  else terminal.answer(formatTable([['name', 'may', 'created'], ...tokens.map(cellsOf)]))
}

export async function revokeTokenCommand(name: string, options: ConfigOption, terminal: Terminal): Promise<void> {
  await withDatabase(options, (db) => revokeOperatorToken(db, name))
  terminal.note(`"${name}" is revoked: it and its sessions are refused within seconds.`)
}

const recordOf = ({ name, mayWrite, createdAt }: ListedToken) => ({ name, write: mayWrite, created_at: createdAt.toISOString() })

const cellsOf = ({ name, mayWrite, createdAt }: ListedToken): readonly string[] => [
  name,
  mayWrite ? 'read and write' : 'read',
  createdAt.toISOString().slice(0, 10),
]
