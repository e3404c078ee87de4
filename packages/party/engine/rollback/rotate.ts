/**
 * Begins a new release log when the old one is large. No line is copied, so none can be lost: the old file is renamed, and readers read
 * both. A process that opened the old file earlier can still append to it. The file `.new` has the header of the next log, and is the lock:
 * it exists from before the rename until after the next log is in place. So a crash at any step leaves either the whole log, or a header
 * that the next writer puts in place.
 */
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { STALE_LOCK_MS } from '../times.ts'

export type RotationStep = 'lock' | 'write header' | 'rename' | 'put header' | 'unlock' | 'sync folder'

export const olderFile = (path: string) => `${path}.old`
const nextFile = (path: string) => `${path}.new`

/** Does nothing if the file is small, or another process rotates. With `before`, tests crash before a step. */
export async function rotate(path: string, maxBytes: number, before: (step: RotationStep) => void = () => undefined): Promise<void> {
  if ((await sizeOf(path)) < maxBytes) return
  before('lock')
  if (!(await writeHeader(path, before))) return
  // Another process may have rotated before this one had the lock.
  if ((await sizeOf(path)) >= maxBytes) {
    before('rename')
    await rename(path, olderFile(path))
    before('put header')
    await putHeader(path)
  }
  before('unlock')
  await rm(nextFile(path), { force: true })
  before('sync folder')
  await syncFolder(path)
}

/** Resolves to false if no rotation has begun. Unlike a rename, a link never replaces a log that another process has just put there. */
export async function putHeader(path: string): Promise<boolean> {
  try {
    await link(nextFile(path), path)
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    if (isCode(error, 'EEXIST')) return true
    throw error
  }
}

/** Resolves to false if another process has the lock. */
async function writeHeader(path: string, before: (step: RotationStep) => void): Promise<boolean> {
  const [header = ''] = (await readFile(path, 'utf8')).split('\n', 1)
  const next = nextFile(path)
  try {
    const file = await open(next, 'wx', 0o600)
    try {
      before('write header')
      await file.writeFile(`${header}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
    if (await isAbandoned(path)) await rm(next, { force: true })
    return false
  }
}

/** The next file is in place already, or the process that made it has died. */
async function isAbandoned(path: string): Promise<boolean> {
  const [next, current] = [await statIfThere(nextFile(path)), await statIfThere(path)]
  if (next === null) return false
  return next.ino === current?.ino || Date.now() - next.mtimeMs > STALE_LOCK_MS
}

async function sizeOf(path: string): Promise<number> {
  return (await statIfThere(path))?.size ?? 0
}

async function statIfThere(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

/** File names are on the disk only after this. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
