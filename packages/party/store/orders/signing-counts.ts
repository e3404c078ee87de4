/** Counts signatures per window of time, for all processes of one database together. */
import { bigint, number, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

/** Returns the count with these signings, and when the window ends. */
export async function countSignings(
  db: Database,
  name: string,
  signings: number,
  windowSeconds: number,
): Promise<{ readonly signings: number; readonly endsInMs: number }> {
  const rows = await readRows(db, shape({ signings: bigint, endsInMs: number }))`
    with ended as (
      delete from signing_counts where ends_at < now() - interval '1 hour' and name <> ${name}
    )
    insert into signing_counts as known (name, signings, ends_at)
    values (${name}, ${signings}, now() + make_interval(secs => ${windowSeconds}))
    on conflict (name) do update set
      signings = excluded.signings + case when known.ends_at > now() then known.signings else 0 end,
      ends_at = case when known.ends_at > now() then known.ends_at else excluded.ends_at end
    returning signings, (extract(epoch from ends_at - now()) * 1000)::float8 as "endsInMs"`
  const [row] = rows
  if (row === undefined) throw new Error(`the signings of ${name} were not counted`)
  return { signings: Number(row.signings), endsInMs: row.endsInMs }
}
