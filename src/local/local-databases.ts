/** The databases of both parties, empty at every start. */
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../store/embedded/embedded-postgres.ts'

export type LocalDatabases = {
  readonly serviceUrl: string
  readonly solverUrl: string
  close(): Promise<void>
}

export async function openLocalDatabases(folder: string, serverUrl?: string): Promise<LocalDatabases> {
  if (serverUrl !== undefined) {
    return {
      serviceUrl: await recreate(serverUrl, 'tandem_local_service'),
      solverUrl: await recreate(serverUrl, 'tandem_local_solver'),
      close: async () => undefined,
    }
  }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
  try {
    return {
      serviceUrl: await postgres.createDatabase('service'),
      solverUrl: await postgres.createDatabase('solver'),
      close: postgres.stop,
    }
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
