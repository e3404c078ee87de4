/** A bench has a new database server, which ends with the bench, like everything that the bench starts. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { type Child, startChild } from './api/child.ts'

export type BenchParts = {
  /** Resolves to the URL of the database. */
  createDatabase(name: string): Promise<string>
  /** The file runs in a process of its own. Its path is relative to `api/child.ts`. */
  start<T>(file: string, input: unknown): Promise<Child<T>>
  /** Cleanups run at the end, in the reverse order. */
  atEnd(cleanup: () => Promise<unknown>): void
}

/** With `durable`, commits wait for the disk, like in production. */
export async function withDatabase<T>(
  name: string,
  use: (parts: BenchParts) => Promise<T>,
  { durable = false }: { readonly durable?: boolean } = {},
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `tandem-${name}-`))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: !durable })
    cleanups.push(postgres.stop)
    return await use({
      createDatabase: postgres.createDatabase,
      async start<R>(file: string, input: unknown) {
        const child = await startChild<R>(file, input)
        cleanups.push(child.stop)
        return child
      },
      atEnd: (cleanup) => void cleanups.push(cleanup),
    })
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}
