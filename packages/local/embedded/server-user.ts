// PostgreSQL refuses to run as root, so another operating-system user may run it. This file says which, and what that user can reach.
import { readFileSync, statSync } from 'node:fs'
import { chown, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Null means that the user of this process runs the server. */
export type ServerUser = { readonly uid: number; readonly gid: number } | null

const NOBODY_ID = 65534

/** Root switches to the owner of an existing cluster, otherwise to `nobody`. Any other user runs the server itself. */
export const chooseServerUser = (clusterDir: string): ServerUser => {
  if (process.getuid?.() !== 0) return null
  const owner = statSync(clusterDir, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return nobody()
}

// initdb looks up its own user by id, so the id must exist on this machine.
const nobody = (): ServerUser => {
  const entry = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return entry === null ? { uid: NOBODY_ID, gid: NOBODY_ID } : { uid: Number(entry[1]), gid: Number(entry[2]) }
}

export const giveTo = async (user: ServerUser, path: string): Promise<void> => {
  if (user !== null) await chown(path, user.uid, user.gid)
}

/** Returns true if the user may pass through every folder down to `path`. Missing folders count as reachable: they are made here. */
export const canReach = async (user: ServerUser, path: string): Promise<boolean> => {
  if (user === null) return true
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (!(await maySearch(user, folder))) return false
    if (folder === dirname(folder)) return true
  }
}

const maySearch = async (user: NonNullable<ServerUser>, path: string): Promise<boolean> => {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found === null) return true
  if (found.uid === user.uid) return (found.mode & 0o100) !== 0
  if (found.gid === user.gid) return (found.mode & 0o010) !== 0
  return (found.mode & 0o001) !== 0
}
