/** Publishes polls to other processes on this database. All times are by the clock of the database, in milliseconds. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { sql } from 'kysely'
import { number, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

const CLOCK = sql`(extract(epoch from clock_timestamp()) * 1000)::float8`

export async function readClock(db: Database): Promise<number> {
  const rows = await readRows(db, shape({ now: number }))`select ${CLOCK} as now`
  return rows[0]?.now ?? 0
}

export async function publishPoll(db: Database, chain: ChainId, { hash, beganAt }: { hash: string; beganAt: number }): Promise<number> {
  const rows = await readRows(db, shape({ now: number }))`
    insert into polls (chain, hash, began_at) values (${chain}, ${hash}, to_timestamp(${beganAt / 1000}))
    on conflict (chain) do update set hash = excluded.hash, began_at = excluded.began_at
    returning ${CLOCK} as now`
  return rows[0]?.now ?? beganAt
}
