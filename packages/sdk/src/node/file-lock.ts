/**
 * Lets one process at a time use a file. A lock is a file `.lock.N` that names its process. Locks of processes that are gone are not replaced: the next one has a higher
 * number, which only one process can make. So nobody removes the lock of another that is alive.
 */
import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { StorageError } from '../swap/storage.ts'

type Holder = { readonly pid: number; readonly host: string; readonly started: string }

const held = new Set<string>()
process.once('exit', () => {
  for (const path of held) rmSync(path, { force: true })
})

/** Locks until the process ends, or the returned function is called. Throws if another process that is alive, or may be, has the lock. */
export function lockFile(file: string): () => void {
  const own: Holder = { pid: process.pid, host: hostname(), started: startOf(process.pid) }
  for (;;) {
    const found = locksOf(file)
    assertNoneHeld(file, found)
    const number = Math.max(0, ...found.map((lock) => lock.number)) + 1
    const made = makeLock(file, number, own)
    if (made === null) continue
    try {
      // Another process may have read the locks before this one was made, and have made one with another number since.
      assertNoneHeld(
        file,
        locksOf(file).filter((lock) => lock.path !== made),
      )
    } catch (error) {
      rmSync(made, { force: true })
      throw error
    }
    for (const { path } of found) rmSync(path, { force: true })
    held.add(made)
    return () => {
      held.delete(made)
      rmSync(made, { force: true })
    }
  }
}

/** The file is written under another name first, so that a lock that others see is complete. The result is null if that number is taken. */
function makeLock(file: string, number: number, own: Holder): string | null {
  const [path, temporary] = [`${file}.lock.${number}`, `${file}.lock-${process.pid}.tmp`]
  writeFileSync(temporary, JSON.stringify(own), { mode: 0o600 })
  try {
    linkSync(temporary, path)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

type Lock = { readonly path: string; readonly number: number; readonly holder: Holder | null }

function locksOf(file: string): readonly Lock[] {
  const [folder, start] = [dirname(file), `${basename(file)}.lock.`]
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && /^[0-9]{1,15}$/.test(name.slice(start.length)))
    .map((name) => {
      const path = join(folder, name)
      return { path, number: Number(name.slice(start.length)), holder: readHolder(path) }
    })
}

/** The result is null if it was removed meanwhile. */
function readHolder(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StorageError(`${path} is not a lock of this storage: remove it`)
  }
}

function assertNoneHeld(file: string, locks: readonly Lock[]): void {
  for (const { path, holder } of locks) {
    if (holder === null || isGone(holder)) continue
    const { pid, host } = holder
    if (host === hostname()) throw new StorageError(`process ${pid} has ${file} open: give each process a file of its own`)
    throw new StorageError(
      `process ${pid} of the machine or container ${host} has ${file} open: give each process a file of its own. If that one is gone, remove ${path}`,
    )
  }
}

/** Process ids are used again, e.g. 1 in each run of a container. The time at which the process began tells them apart. */
function isGone({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other error code means that the process is alive and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
  }
  const began = startOf(pid)
  return began !== '' && began !== started
}

/** Returns when a process began. The result is empty where the system does not say it. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    // The name, in parentheses, may have spaces. `starttime` is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return `${boot} ${fields[19]}`
  } catch {
    return ''
  }
}
