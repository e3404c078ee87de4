/** The databases of both parties, empty at every start. */
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../store/embedded/embedded-postgres.ts'

export type LocalDatabases = {
  readonly serviceUrl: string
  /** One for each solver. */
  readonly solverUrls: readonly string[]
  close(): Promise<void>
}

export async function openLocalDatabases(folder: string, solvers: number, serverUrl?: string): Promise<LocalDatabases> {
  const names = Array.from({ length: solvers }, (_, index) => (index === 0 ? 'solver' : `solver_${index + 1}`))
  /** One after another: the server copies one template for all. */
  const createAll = async (create: (name: string) => Promise<string>) => {
    const serviceUrl = await create('service')
    const solverUrls: string[] = []
    for (const name of names) solverUrls.push(await create(name))
    return { serviceUrl, solverUrls }
  }
  if (serverUrl !== undefined) {
    return { ...(await createAll((name) => recreate(serverUrl, `tandem_local_${name}`))), close: async () => undefined }
  }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
  try {
    return { ...(await createAll(postgres.createDatabase)), close: postgres.stop }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

async function recreate(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
