/** The databases of both parties are empty at every start. */
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from './embedded/embedded-postgres.ts'

export type LocalDatabases = {
  readonly serviceUrl: string
  readonly solverUrls: readonly string[]
  close(): Promise<void>
}

/** The server at `serverUrl` is used instead of the embedded one. */
export async function openLocalDatabases(options: {
  readonly folder: string
  readonly solvers: number
  readonly serverUrl?: string
  readonly onProgress?: (what: string) => void
}): Promise<LocalDatabases> {
  const { folder, solvers, serverUrl, onProgress = () => undefined } = options
  const names = Array.from({ length: solvers }, (_, index) => (index === 0 ? 'solver' : `solver_${index + 1}`))
  /** The databases are made one after another, because the server copies one template for all. */
  const createAll = async (create: (name: string) => Promise<string>) => {
    const serviceUrl = await create('service')
    const solverUrls: string[] = []
    for (const name of names) solverUrls.push(await create(name))
    return { serviceUrl, solverUrls }
  }
  if (serverUrl !== undefined) {
    return { ...(await createAll((name) => recreate(serverUrl, `tandem_local_${name}`, onProgress))), close: async () => undefined }
  }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
  try {
    return { ...(await createAll(postgres.createDatabase)), close: postgres.stop }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

/** Databases that the local stack makes have this comment. It removes no others. */
const MARK = 'of the local stack of Tandem: removed at its next start'

async function recreate(serverUrl: string, name: string, onProgress: (what: string) => void): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ mark: string | null }>(
      "select shobj_description(oid, 'pg_database') as mark from pg_database where datname = $1",
      [name],
    )
    const [found] = rows
    if (found !== undefined && found.mark !== MARK)
      throw new Error(
        `the server of DATABASE_URL has a database ${name} that the local stack did not make, and it is not removed: rename or drop it, or name another server`,
      )
    if (found !== undefined) onProgress(`empties ${name}, which the last local stack left on the server of DATABASE_URL`)
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
    await client.query(`comment on database ${name} is '${MARK}'`)
  } finally {
    await client.end()
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
