/** Stores the sessions of the operator page, by token, with their ends. */
import { randomBytes } from 'node:crypto'
import { boolean, shape, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { type Operator, sha256 } from './tokens.ts'

export type OperatorSession = Operator & { readonly until: Date }

const SESSION_HOURS = 12
/** The limit is per token. The oldest session ends first. */
const MAX_SESSIONS = 20
const SESSION_BYTES = 32

/** Returns the value of the cookie; only its hash is stored. */
export async function openSession(db: Database, tokenId: string): Promise<{ readonly cookie: string; readonly until: Date }> {
  const cookie = randomBytes(SESSION_BYTES).toString('hex')
  const rows = await readRows(db, shape({ until: time }))`
    with old as (
      delete from operator_sessions where until < now() or hash in (
        select hash from operator_sessions where token_id = ${tokenId} order by until desc offset ${MAX_SESSIONS - 1}
      )
    )
    insert into operator_sessions (hash, token_id, until)
    values (${sha256(cookie)}, ${tokenId}, now() + make_interval(hours => ${SESSION_HOURS})) returning until`
  return { cookie, until: rows[0]?.until ?? new Date() }
}

export async function findSession(db: Database, cookie: string): Promise<OperatorSession | null> {
  const rows = await readRows(db, shape({ id: text, name: text, may_write: boolean, until: time }))`
    select id, name, may_write, until from operator_sessions join operator_tokens on operator_tokens.id = token_id
    where hash = ${sha256(cookie)} and until > now()`
  const [row] = rows
  return row === undefined ? null : { tokenId: row.id, name: row.name, mayWrite: row.may_write, until: row.until }
}

export async function closeSession(db: Database, cookie: string): Promise<void> {
  await db.deleteFrom('operator_sessions').where('hash', '=', sha256(cookie)).execute()
}
