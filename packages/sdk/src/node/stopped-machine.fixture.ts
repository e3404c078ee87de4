/** A machine that stops during the calls of the file system that some code makes. What was not synced by then is lost. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'

/** Stops during call number `steps`. True: the code ended before, and the machine stopped right after it. */
export function stopAfter(steps: number, work: () => void): boolean {
  const { openSync, writeFileSync, fsyncSync, closeSync, renameSync, readFileSync, truncateSync } = fs
  const real = { openSync, writeFileSync, fsyncSync, closeSync, renameSync }
  const paths = new Map<number, string>()
  /** How to lose what is not synced, by the file or the folder whose sync would keep it. */
  const unsynced = new Map<string, () => void>()
  let calls = 0
  const step = <Result>(call: () => Result): Result => {
    calls += 1
    if (calls > steps) throw new Error('the machine has stopped')
    return call()
  }
  const patched: Partial<typeof fs> = {
    openSync: (path, ...rest) =>
      step(() => {
        const descriptor = openSync(path, ...rest)
        paths.set(descriptor, String(path))
        return descriptor
      }),
    writeFileSync: (file, data) =>
      step(() => {
        const path = paths.get(Number(file)) ?? String(file)
        unsynced.set(path, () => truncateSync(path, 1))
        writeFileSync(file, data)
      }),
    fsyncSync: (descriptor) => step(() => void unsynced.delete(paths.get(descriptor) ?? '')),
    closeSync: (descriptor) => step(() => closeSync(descriptor)),
    renameSync: (from, to) =>
      step(() => {
        const before = readFileSync(to)
        const isCut = unsynced.delete(String(from))
        if (isCut) unsynced.set(String(to), () => truncateSync(to, 1))
        else unsynced.set(dirname(String(to)), () => writeFileSync(to, before))
        renameSync(from, to)
      }),
  }
  Object.assign(fs, patched)
  syncBuiltinESMExports()
  try {
    work()
    return true
  } catch (error) {
    if (calls <= steps) throw error
    return false
  } finally {
    Object.assign(fs, real)
    syncBuiltinESMExports()
    for (const lose of unsynced.values()) lose()
  }
}
