/** Stores the tokens of operators. A token is `<id>.<secret>`; only the hash of its secret is stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Database } from '../database/database.ts'

export type Operator = {
  readonly tokenId: string
  readonly name: string
  /** With this permission the operator may halt and resume, else only read. */
  readonly mayWrite: boolean
}

export type ListedToken = Operator & { readonly createdAt: Date }

const ID_BYTES = 6
const SECRET_BYTES = 32
const TOKEN = /^([0-9a-f]{12})\.([0-9a-f]{64})$/
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the token, which cannot be read again. */
export async function createOperatorToken(db: Database, name: string, mayWrite: boolean): Promise<string> {
  if (!NAME.test(name))
    throw new TandemError('bad_request', 'the name of a token has 1 to 63 lower-case letters, digits, dots, dashes or underscores')
  const [id, secret] = [randomBytes(ID_BYTES).toString('hex'), randomBytes(SECRET_BYTES).toString('hex')]
  const row = await db
    .insertInto('operator_tokens')
    .values({ id, name, secret_hash: sha256(secret), may_write: mayWrite })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw new TandemError('conflict', `there is a token "${name}" already: revoke it first, or choose another name`)
  return `${id}.${secret}`
}

export async function listOperatorTokens(db: Database): Promise<readonly ListedToken[]> {
  const rows = await db.selectFrom('operator_tokens').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ tokenId: row.id, name: row.name, mayWrite: row.may_write, createdAt: row.created_at }))
}

export async function revokeOperatorToken(db: Database, name: string): Promise<void> {
  const row = await db.deleteFrom('operator_tokens').where('name', '=', name).returning('id').executeTakeFirst()
  if (row === undefined) throw new TandemError('not_found', `there is no token "${name}"`)
}

export function secretOf(token: string): string | null {
  return TOKEN.exec(token)?.[2] ?? null
}

/** Returns null for a token that is malformed, unknown, revoked or has another secret. */
export async function findOperator(db: Database, token: string): Promise<Operator | null> {
  const [, id, secret] = TOKEN.exec(token) ?? []
  if (id === undefined || secret === undefined) return null
  const row = await db.selectFrom('operator_tokens').selectAll().where('id', '=', id).executeTakeFirst()
  // The comparison also runs if there is no token, so that its duration reveals nothing.
  const isSame = isSameText(sha256(secret), row?.secret_hash ?? sha256(''))
  return row === undefined || !isSame ? null : { tokenId: row.id, name: row.name, mayWrite: row.may_write }
}

/** The duration depends on neither text. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest()]
  return timingSafeEqual(left, right)
}
