/** Tells other processes on this database about polls. All times are of the clock of the database, in milliseconds. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { Database } from '../database/database.ts'

export type PublishedPoll = {
  /** Of the newest block. Everything up to it was recorded. */
  readonly hash: string
  /** Since the poll began. */
  readonly ageMs: number
}

const CLOCK = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`

export async function readClock(db: Database): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${CLOCK} as now`.execute(db)
  return rows[0]?.now ?? 0
}

/** Returns the time. */
export async function publishPoll(db: Database, chain: ChainId, { hash, beganAt }: { hash: string; beganAt: number }): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    insert into polls (chain, hash, began_at) values (${chain}, ${hash}, to_timestamp(${beganAt / 1000}))
    on conflict (chain) do update set hash = excluded.hash, began_at = excluded.began_at
    returning ${CLOCK} as now`.execute(db)
  return rows[0]?.now ?? beganAt
}

export async function readPublishedPoll(db: Database, chain: ChainId): Promise<PublishedPoll | null> {
  const { rows } = await sql<{ hash: string; age_ms: number }>`
    select hash, ${CLOCK} - (extract(epoch from began_at) * 1000)::float8 as age_ms from polls where chain = ${chain}`.execute(db)
  const [row] = rows
  return row === undefined ? null : { hash: row.hash, ageMs: row.age_ms }
}
