/** `@tandem/sdk/node`: swaps and keys in one file. After a crash at any moment it has all that was set before. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SwapStorage } from '../swap/storage.ts'
import { StorageError } from '../swap/storage.ts'
import { lockFile } from './file-lock.ts'

/** A file is opened once by a process, however often it is asked for: two copies in memory would overwrite each other. */
const opened = new Map<string, SwapStorage>()

/**
 * A storage for Node. The file holds private keys: its mode is 0600. Throws a StorageError if another process has it open, and if it is not a file of this
 * storage. It stays open until the process ends.
 */
export function fileStorage(path: string): SwapStorage {
  const file = realFile(path)
  const known = opened.get(file)
  if (known !== undefined) return known
  const unlock = lockFile(file)
  let items: Map<string, string>
  try {
    items = readItems(file)
  } catch (error) {
    unlock()
    throw error
  }
  const storage: SwapStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      // Only what is in the file counts as kept: the user pays after that.
      replaceFile(file, JSON.stringify(Object.fromEntries([...items, [key, value]])))
      items.set(key, value)
    },
  }
  opened.set(file, storage)
  return storage
}

/** The path is the same for every name of the file. */
function realFile(path: string): string {
  const folder = dirname(resolve(path))
  mkdirSync(folder, { recursive: true })
  const file = join(realpathSync(folder), basename(path))
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function readItems(file: string): Map<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
  try {
    const items = Object.entries(JSON.parse(text) as Record<string, unknown>)
    if (items.every((item): item is [string, string] => typeof item[1] === 'string')) return new Map(items)
  } catch {
    // The error below does not show the content, which may be secret.
  }
  throw new StorageError(`${file} is not a file of this storage, and stays as it is: give another path`)
}

/** After the machine stopped at any moment, the file has either the old text or the new one. */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.tmp`
  const descriptor = openSync(temporary, 'w', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  if (process.platform !== 'win32') syncFolder(dirname(file))
}

/** The name of a file is on disk when its folder is synced. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
