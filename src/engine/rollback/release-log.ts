/**
 * A file outside of the database that only grows: one line for each signature that may have left the process. All processes of a party on one machine
 * append to the same file. A line is written after the database has committed what it names, and before the signature is released: so a crash in between
 * looks like nothing, and a database that lacks a named thing is older than the line. A line costs no fsync: the kernel has it, whatever happens to the
 * process, and the disk has it within a second.
 */
import { appendFile, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Release } from '../../store/database/rollbacks.ts'

export interface ReleaseLog {
  /** Its id, and the newest lines, oldest first. Null: there is no file. */
  read(): Promise<{ readonly id: string; readonly newest: readonly Release[] } | null>
  /** Writes a new file, unless another process has just done so. */
  create(id: string): Promise<void>
  append(release: Release): Promise<void>
  /** Resolves when all lines are on the disk. */
  close(): Promise<void>
}

/** Lines of concurrent releases are not in the order of their commits: more are compared than can be concurrent. */
const COMPARED = 500
const SYNC_MS = 1000
/** Beyond it only the lines that are compared are kept. */
const MAX_BYTES = 16 * 1024 * 1024

export function openReleaseLog(path: string): ReleaseLog {
  let waiting: { readonly line: string; resolve(): void; reject(error: unknown): void }[] = []
  let writing: Promise<void> | null = null
  let syncTimer: NodeJS.Timeout | null = null
  let syncing = Promise.resolve()

  /** All that waits is one write. */
  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        // Opened each time: another process may have replaced the file.
        await appendFile(path, batch.map(({ line }) => `${line}\n`).join(''), { mode: 0o600 })
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = null
    syncTimer ??= setTimeout(() => {
      syncTimer = null
      syncing = sync().catch(() => undefined)
    }, SYNC_MS).unref()
  }

  async function sync(): Promise<void> {
    const file = await open(path, 'r+')
    try {
      await file.datasync()
      if ((await file.stat()).size < MAX_BYTES) return
    } finally {
      await file.close()
    }
    const lines = parse(await readFile(path, 'utf8'))
    const [header] = lines
    const kept = [...(header === undefined ? [] : [header]), ...lines.slice(1).slice(-COMPARED)]
    await writeFile(`${path}.new`, `${kept.map((line) => JSON.stringify(line)).join('\n')}\n`, { mode: 0o600, flush: true })
    await rename(`${path}.new`, path)
  }

  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (text === null) return null
      // The last line may be torn: the next one must not continue it.
      if (!text.endsWith('\n')) await appendFile(path, '\n').catch(() => undefined)
      const lines = parse(text)
      const header = lines.find((line) => 'log' in line)
      if (header === undefined || !('log' in header)) throw new Error(`${path} is not a release log: move it away`)
      const after = lines.findLastIndex((line) => 'rollback' in line)
      return { id: header.log, newest: [header, ...lines.slice(Math.max(1, after, lines.length - COMPARED))] }
    },
    async create(id) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `${JSON.stringify({ log: id })}\n`, { flag: 'wx', mode: 0o600, flush: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
        },
      )
    },
    append(release) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: JSON.stringify(release), resolve, reject })
        writing ??= flush()
      })
    },
    async close() {
      await writing
      if (syncTimer !== null) {
        clearTimeout(syncTimer)
        syncing = sync().catch(() => undefined)
      }
      await syncing
    },
  }
}

/** Torn lines are left out: their signatures were never released. */
function parse(text: string): readonly Release[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Release]
    } catch {
      return []
    }
  })
}
