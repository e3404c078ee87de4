/** Reads the hashes of all valid tokens and sessions at most once a second, so that wrong secrets are refused without a query each. */
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { sha256 } from './tokens.ts'

const KEPT_MS = 1_000

export interface ValidHashes {
  /** The answer may be a second late, so the database must still be checked for what passes. */
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
