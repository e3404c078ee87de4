// A server may still run on a cluster that is to be started. This file waits for it, stops an orphan, or refuses.
import { execFile } from 'node:child_process'
import { readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { SUPERVISOR_NAME } from './supervise.ts'

/** PostgreSQL writes `status`: starting, ready, stopping. */
export type ServerLock = { readonly pid: number; readonly status: string }

const POLL_MS = 20
// A server whose application was just killed still reports "ready" for a moment.
const READY_GRACE_MS = 5_000
const STOPPING_GRACE_MS = 30_000

// Line 1 of postmaster.pid is the process id, line 8 the status.
export const readServerLock = async (clusterDir: string): Promise<ServerLock | null> => {
  const lines = await readFile(lockFile(clusterDir), 'utf8').then(
    (text) => text.split('\n'),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  const pid = Number(lines[0])
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, status: (lines[7] ?? '').trim() } : null
}

const lockFile = (clusterDir: string): string => join(clusterDir, 'postmaster.pid')

/** Resolves when no server runs on the cluster. Throws if the server belongs to another running application. */
export const settlePreviousServer = async (clusterDir: string): Promise<void> => {
  const startedAt = Date.now()
  for (;;) {
    const lock = await readServerLock(clusterDir)
    if (lock === null) return
    if (!(await isServerOf(clusterDir, lock.pid))) {
      // The server has ended. Another program may have its process id now, and PostgreSQL would take that for a live server.
      await rm(lockFile(clusterDir), { force: true })
      return
    }
    if (!(await isSupervised(lock.pid))) interrupt(lock.pid)
    const graceMs = lock.status === 'ready' ? READY_GRACE_MS : STOPPING_GRACE_MS
    if (Date.now() - startedAt > graceMs) {
      throw new Error(`the database in ${clusterDir} is in use by another running application (PostgreSQL process ${lock.pid})`)
    }
    await sleep(POLL_MS)
  }
}

/** The process may have ended since it was described. */
const interrupt = (pid: number): void => {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Returns true if a server with a live supervisor runs on the cluster. Its application then usually runs, too. */
export const hasSupervisedServer = async (clusterDir: string): Promise<boolean> => {
  const lock = await readServerLock(clusterDir)
  return lock !== null && (await isServerOf(clusterDir, lock.pid)) && (await isSupervised(lock.pid))
}

const isServerOf = async (clusterDir: string, pid: number): Promise<boolean> => {
  const command = await describeProcess(pid)
  if (command === null || !/\bpostgres\b/.test(command.args)) return false
  // A server's working directory is its cluster. If the system does not show it, the program name must suffice.
  return command.folder === null || command.folder === clusterDir
}

const isSupervised = async (pid: number): Promise<boolean> => {
  const server = await describeProcess(pid)
  const parent = server === null ? null : await describeProcess(server.parentPid)
  return parent?.args.includes(SUPERVISOR_NAME) === true
}

type ProcessFacts = { readonly parentPid: number; readonly args: string; readonly folder: string | null }

const describeProcess = async (pid: number): Promise<ProcessFacts | null> => {
  try {
    return process.platform === 'linux' ? await readProc(pid) : await askPs(pid)
  } catch {
    // Neither source knows the process, so it has ended.
    return null
  }
}

const readProc = async (pid: number): Promise<ProcessFacts> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
  const folder = await readlink(`/proc/${pid}/cwd`).catch(hiddenFolder)
  // The line is "pid (name) state ppid …". The name may contain spaces and parentheses.
  const parentPid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  return { parentPid, args, folder }
}

// The working directory of another user's process is not readable.
const hiddenFolder = (): null => null

const askPs = async (pid: number): Promise<ProcessFacts> => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,args=', '-p', String(pid)])
  const [parentPid, ...args] = stdout.trim().split(/\s+/)
  return { parentPid: Number(parentPid), args: args.join(' '), folder: null }
}
