/** The hashes of all valid tokens and sessions, read at most once a second: a right secret is told from a wrong one without asking the database each time. */
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { sha256 } from './tokens.ts'

const KEPT_MS = 1_000

export interface ValidHashes {
  /** May be a second late. What it lets pass is still to be checked in the database. */
  has(secret: string): Promise<boolean>
}

export function createValidHashes(db: Database, nowMs: () => number = () => performance.now()): ValidHashes {
  let readAt = Number.NEGATIVE_INFINITY
  let hashes: Promise<ReadonlySet<string>> = Promise.resolve(new Set())

  return {
    async has(secret) {
      if (nowMs() - readAt >= KEPT_MS) {
        readAt = nowMs()
        hashes = readHashes(db)
      }
      return (await hashes).has(sha256(secret))
    },
  }
}

async function readHashes(db: Database): Promise<ReadonlySet<string>> {
  const rows = await readRows(db, shape({ hash: text }))`
    select secret_hash as hash from operator_tokens union all select hash from operator_sessions where until > now()`
  return new Set(rows.map(({ hash }) => hash))
}
