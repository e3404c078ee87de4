// Decides where an embedded server keeps its cluster and its socket, and removes what killed runs left there.
import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hasLiveServer } from './previous-server.ts'
import { canReach, chooseServerUser, giveTo, type ServerUser } from './server-user.ts'

export type Place = {
  readonly user: ServerUser
  /** Holds everything of this server except its socket; belongs to the server's user. */
  readonly home: string
  readonly clusterDir: string
}

export const clusterOf = (home: string): string => join(home, 'cluster')

const FRESH_PREFIX = 'fresh-'
const ABANDONED_AFTER_MS = 600_000

/** Persistent: the data folder itself. Fresh: a new folder inside it, so that several runs never touch each other's data. */
export const choosePlace = async (dataDir: string, fresh: boolean): Promise<Place> => {
  const wanted = resolve(dataDir)
  await mkdir(wanted, { recursive: true, mode: 0o700 })
  const user = chooseServerUser(clusterOf(wanted))
  // PostgreSQL's user has to reach its data, and a private folder above it (mode 0700) forbids that to anyone but root.
  const base = (await canReach(user, wanted)) || (await isOnlyClosedItself(user, wanted)) ? wanted : await relocate(user, wanted, fresh)
  await giveTo(user, base)
  const settled = await realpath(base)
  if (!fresh) return { user, home: settled, clusterDir: clusterOf(settled) }
  await sweep(settled)
  const home = await mkdtemp(join(settled, FRESH_PREFIX))
  await giveTo(user, home)
  return { user, home, clusterDir: clusterOf(home) }
}

// The data folder itself may be closed: it is given to the server's user.
const isOnlyClosedItself = (user: ServerUser, wanted: string): Promise<boolean> => canReach(user, resolve(wanted, '..'))

const relocate = async (user: ServerUser, wanted: string, fresh: boolean): Promise<string> => {
  const id = createHash('sha256').update(wanted).digest('hex').slice(0, 12)
  const parent = fresh ? await openTemporaryFolder(user) : '/var/lib'
  const base = join(parent, `tandem-postgres-${id}`)
  await mkdir(base, { recursive: true, mode: 0o700 })
  const found = await lstat(base)
  const owners = [0, user?.uid]
  if (!found.isDirectory() || !owners.includes(found.uid)) throw new Error(`${base} belongs to somebody else; remove it`)
  return base
}

const openTemporaryFolder = async (user: ServerUser): Promise<string> => ((await canReach(user, tmpdir())) ? tmpdir() : '/tmp')

/** A folder closed to other users for the socket, with a path short enough for one: a socket address holds 103 bytes on macOS. */
export const createSocketDir = async (user: ServerUser): Promise<string> => {
  const parent = await openTemporaryFolder(user)
  const longest = join(parent, 'tandem-pg-xxxxxx', '.s.PGSQL.5432')
  const dir = await mkdtemp(join(Buffer.byteLength(longest) <= 103 ? parent : '/tmp', 'tandem-pg-'))
  await giveTo(user, dir)
  return dir
}

// Left behind only by a lost machine or a supervisor killed together with its application.
const sweep = async (base: string): Promise<void> => {
  for (const name of await readdir(base)) {
    if (!name.startsWith(FRESH_PREFIX)) continue
    const home = join(base, name)
    const found = await lstat(home).catch(() => null)
    if (found === null || Date.now() - found.mtimeMs < ABANDONED_AFTER_MS || (await hasLiveServer(clusterOf(home)))) continue
    await rm(home, { recursive: true, force: true })
  }
}
