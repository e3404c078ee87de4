// An embedded server needs a place for its cluster and its socket. The remains of killed runs are removed here too.
import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { hasSupervisedServer, settlePreviousServer } from './previous-server.ts'
import { canReach, chooseServerUser, giveTo, type ServerUser } from './server-user.ts'

export type Place = {
  readonly user: ServerUser
  /** This folder has all files of the server except its socket, and is owned by the server's user. */
  readonly home: string
  readonly clusterDir: string
}

const clusterOf = (home: string): string => join(home, 'cluster')

const FRESH_PREFIX = 'fresh-'
const ABANDONED_AFTER_MS = 600_000

/** Persistent data is in the data folder. Fresh data is in a new folder inside it, so that several runs never touch each other's data. */
export const choosePlace = async (dataDir: string, fresh: boolean): Promise<Place> => {
  const wanted = await ownFolder(resolve(dataDir))
  const user = chooseServerUser(clusterOf(wanted))
  // PostgreSQL's user must reach its data. A private parent folder (mode 0700) prevents that.
  const reachable = await canReach(user, dirname(wanted))
  if (!fresh) return settle(user, reachable ? wanted : await relocate(user, wanted))
  if (!reachable) return settle(user, await mkdtemp(join(await openTemporaryFolder(user), 'tandem-postgres-')))
  await giveTo(user, wanted)
  await sweep(wanted)
  return settle(user, await mkdtemp(join(wanted, FRESH_PREFIX)))
}

const ownFolder = async (path: string): Promise<string> => {
  await mkdir(dirname(path), { recursive: true })
  await mkdir(path, { mode: 0o700, recursive: true })
  return realpath(path)
}

const settle = async (user: ServerUser, home: string): Promise<Place> => {
  await giveTo(user, home)
  const settled = await realpath(home)
  return { user, home: settled, clusterDir: clusterOf(settled) }
}

// Services keep persistent data in /var/lib, which their users can reach.
const relocate = async (user: ServerUser, wanted: string): Promise<string> => {
  const id = createHash('sha256').update(wanted).digest('hex').slice(0, 12)
  const home = await ownFolder(join('/var/lib', `tandem-postgres-${id}`))
  if (![0, user?.uid].includes((await lstat(home)).uid)) throw new Error(`${home} belongs to another user`)
  return home
}

const openTemporaryFolder = async (user: ServerUser): Promise<string> => ((await canReach(user, tmpdir())) ? tmpdir() : '/tmp')

/** The folder is closed to other users. Its path must be short: a socket address has at most 103 bytes on macOS. */
export const createSocketDir = async (user: ServerUser): Promise<string> => {
  const parent = await openTemporaryFolder(user)
  const longest = join(parent, 'tandem-pg-xxxxxx', '.s.PGSQL.5432')
  const dir = await mkdtemp(join(Buffer.byteLength(longest) <= 103 ? parent : '/tmp', 'tandem-pg-'))
  await giveTo(user, dir)
  return dir
}

// Remains exist only after a crash of the machine, or if the supervisor was killed together with its application.
const sweep = async (base: string): Promise<void> => {
  for (const name of await readdir(base)) {
    if (!name.startsWith(FRESH_PREFIX)) continue
    const home = join(base, name)
    if (Date.now() - (await changedAt(home)) < ABANDONED_AFTER_MS || (await hasSupervisedServer(clusterOf(home)))) continue
    await settlePreviousServer(clusterOf(home))
    await rm(home, { recursive: true, force: true })
  }
}

// A folder that was removed meanwhile counts as new: there is nothing to remove.
const changedAt = async (path: string): Promise<number> =>
  lstat(path).then(
    (found) => found.mtimeMs,
    () => Date.now(),
  )
