/** One small write: a full disk or a read-only server still answers reads. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

export async function tryWrite(db: Database): Promise<void> {
  await sql`
    insert into leases (name, holder, until) values ('readiness', '', now())
    on conflict (name) do update set until = excluded.until`.execute(db)
}
