// One embedded PostgreSQL for a whole vitest run, started when the first test asks for a database.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A POST creates a database and returns its connection string. */
    readonly testDatabasesUrl: string
  }
}

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tandem-test-'))
  let postgres: Promise<EmbeddedPostgres> | null = null
  let created = 0
  const createDatabase = async (): Promise<string> => {
    postgres ??= startEmbeddedPostgres({ dataDir, fresh: true })
    created += 1
    const name = `test_${created}`
    return (await postgres).createDatabase(name)
  }
  const answer = async (response: ServerResponse): Promise<void> => {
    try {
      response.end(await createDatabase())
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
  const server = createServer((_request, response) => void answer(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('testDatabasesUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    if (postgres !== null) await (await postgres).stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
