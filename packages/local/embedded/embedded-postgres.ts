// A real PostgreSQL server runs for this process: no installation, no open port. It stops when this process ends.
import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresBinaries, preparePostgresBinaries } from './binaries.ts'
import { choosePlace, createSocketDir, type Place } from './place.ts'
import { readServerLock, settlePreviousServer } from './previous-server.ts'
import { giveTo } from './server-user.ts'
import { type Supervised, supervise } from './supervise.ts'

export type EmbeddedPostgres = {
  readonly url: string
  createDatabase(name: string): Promise<string>
  /** All clients are disconnected. The data of a fresh server is removed. */
  stop(): Promise<void>
}

const POLL_MS = 10
const START_LIMIT_MS = 60_000
const DATABASE_NAME = /^[a-z][a-z0-9_]{0,62}$/
const ALREADY_EXISTS = ['42P04', '23505']

const SETTINGS = {
  // The server is reachable only through a socket in a folder that is closed to other users, so there is no password.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: '5432',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  // These suit a server for one machine, where the operating system caches the files too.
  shared_buffers: '48MB',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  // A new database grows fast, and until its tables are analysed, statements may use a wrong index.
  autovacuum_naptime: '10s',
}

// The data is removed with the server: it survives a crash of the application, not of the machine. Many tests share one server.
const FRESH_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '500' }

/**
 * `dataDir` is a folder for the database only. With `fresh` the database is empty and removed with the server; otherwise the data stays for
 * the next start.
 */
export const startEmbeddedPostgres = async (options: { readonly dataDir: string; readonly fresh?: boolean }): Promise<EmbeddedPostgres> => {
  const fresh = options.fresh ?? false
  const place = await choosePlace(options.dataDir, fresh)
  let socketDir: string | null = null
  const cleanUp = async (): Promise<void> => {
    if (socketDir !== null) await rm(socketDir, { recursive: true, force: true })
    if (fresh) await rm(place.home, { recursive: true, force: true })
  }
  try {
    const binaries = await preparePostgresBinaries({ user: place.user, copyTo: place.home })
    if (!fresh) await settlePreviousServer(place.clusterDir)
    await initialise(place, binaries, fresh)
    socketDir = await createSocketDir(place.user)
    const server = await startServer(place, binaries, socketDir, fresh)
    return describeServer(socketDir, async () => {
      await server.stop()
      await cleanUp()
    })
  } catch (error) {
    await cleanUp()
    throw error
  }
}

// The cluster is created under another name and renamed when complete, so that an incomplete one is never started.
const initialise = async (place: Place, binaries: PostgresBinaries, fresh: boolean): Promise<void> => {
  if (await isCluster(place.clusterDir)) return
  const making = await mkdtemp(`${place.clusterDir}-`)
  await giveTo(place.user, making)
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions']
  const quick = fresh ? ['--no-sync', '--no-data-checksums'] : []
  const log = await openLog(place)
  try {
    const command = [binaries.initdb, `--pgdata=${making}`, ...options, ...quick]
    const run = supervise({
      command,
      user: place.user,
      stopSignal: 'TERM',
      outputFd: log.fd,
      removeWhenFailed: [fresh ? place.home : making],
    })
    const status = await run.exited
    if (status !== 0) throw new Error(`PostgreSQL could not create its cluster (initdb status ${status}): ${await log.tail()}`)
  } finally {
    await log.close()
  }
  await rename(making, place.clusterDir).catch(async (error: unknown) => {
    await rm(making, { recursive: true, force: true })
    if (!(await isCluster(place.clusterDir))) throw error
  })
}

const isCluster = (clusterDir: string): Promise<boolean> =>
  readFile(join(clusterDir, 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

const startServer = async (place: Place, binaries: PostgresBinaries, socketDir: string, fresh: boolean): Promise<Supervised> => {
  const settings = { ...SETTINGS, unix_socket_directories: socketDir, ...(fresh ? FRESH_SETTINGS : {}) }
  const command = [
    binaries.postgres,
    '-D',
    place.clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const log = await openLog(place)
  try {
    const server = supervise({
      command,
      user: place.user,
      // A fast shutdown keeps the data consistent; an immediate one suffices for data that is removed.
      stopSignal: fresh ? 'QUIT' : 'INT',
      outputFd: log.fd,
      removeWhenEnded: fresh ? [socketDir, place.home] : [socketDir],
    })
    await untilReady(server, place.clusterDir, log.tail)
    // The server must not keep the application running; when the application ends, the closed pipe stops the server.
    server.child.unref()
    return server
  } finally {
    await log.close()
  }
}

const untilReady = async (server: Supervised, clusterDir: string, logTail: () => Promise<string>): Promise<void> => {
  const startedAt = Date.now()
  const ended = server.exited.then((status) => ({ status }))
  for (;;) {
    const lock = await readServerLock(clusterDir)
    if (lock?.status === 'ready') return
    const outcome = await Promise.race([ended, sleep(POLL_MS, null)])
    if (outcome !== null) throw new Error(`PostgreSQL did not start (status ${outcome.status}): ${await logTail()}`)
    if (Date.now() - startedAt > START_LIMIT_MS) {
      await server.stop()
      throw new Error(`PostgreSQL was not ready after ${START_LIMIT_MS} ms: ${await logTail()}`)
    }
  }
}

type Log = { readonly fd: number; tail(): Promise<string>; close(): Promise<void> }

const openLog = async (place: Place): Promise<Log> => {
  const path = join(place.home, 'server.log')
  const file = await open(path, 'w', 0o600)
  await giveTo(place.user, path)
  // The reader is opened now: after a failure the supervisor removes the file before the error message reads it.
  const reader = await open(path, 'r')
  return {
    fd: file.fd,
    tail: async () => (await reader.readFile('utf8')).trim().split('\n').slice(-5).join(' | '),
    close: async () => {
      await Promise.all([file.close(), reader.close()])
    },
  }
}

const describeServer = (socketDir: string, stop: () => Promise<void>): EmbeddedPostgres => {
  const urlOf = (database: string): string => `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  let stopping: Promise<void> | null = null
  return {
    url: urlOf('postgres'),
    createDatabase: async (name) => {
      if (!DATABASE_NAME.test(name)) throw new Error(`not a database name: ${name}`)
      const client = new pg.Client({ connectionString: urlOf('postgres') })
      await client.connect()
      try {
        await client.query(`create database ${name}`)
      } catch (error) {
        if (!(error instanceof pg.DatabaseError && ALREADY_EXISTS.includes(error.code ?? ''))) throw error
      } finally {
        await client.end()
      }
      return urlOf(name)
    },
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}
