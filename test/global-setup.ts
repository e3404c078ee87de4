// One embedded PostgreSQL serves a whole vitest run. It starts when the first test asks for a database.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import pg from 'pg'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A POST creates a database with all tables, or to `/empty` without any, and returns its connection string. */
    readonly testDatabasesUrl: string
  }
}

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tandem-test-'))
  let postgres: Promise<EmbeddedPostgres> | null = null
  let template: Promise<URL> | null = null
  let created = 0
  const createDatabase = async (isEmpty: boolean): Promise<string> => {
    postgres ??= startEmbeddedPostgres({ dataDir, fresh: true })
    created += 1
    const name = `test_${created}`
    if (isEmpty) return (await postgres).createDatabase(name)
    template ??= createTemplate(await postgres)
    return copyDatabase(await template, name)
  }
  const answer = async (isEmpty: boolean, response: ServerResponse): Promise<void> => {
    try {
      response.end(await createDatabase(isEmpty))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
  const server = createServer(({ url }, response) => void answer(url === '/empty', response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('testDatabasesUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    if (postgres !== null) await (await postgres).stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

// A copy of the tables takes a fraction of the time of all migrations.
const createTemplate = async (postgres: EmbeddedPostgres): Promise<URL> => {
  const url = await postgres.createDatabase('migrated')
  await (await openDatabase(url)).destroy()
  return new URL(url)
}

const copyDatabase = async (template: URL, name: string): Promise<string> => {
  const at = (path: string): string => Object.assign(new URL(template), { pathname: path }).href
  const client = new pg.Client({ connectionString: at('/postgres') })
  await client.connect()
  try {
    // Without it, PostgreSQL writes each page of the copy to its log too.
    await client.query(`create database ${name} template ${template.pathname.slice(1)} strategy file_copy`)
  } finally {
    await client.end()
  }
  return at(`/${name}`)
}
