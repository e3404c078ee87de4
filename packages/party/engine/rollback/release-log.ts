/**
 * Keeps a file outside of the database with one line for each signature that may have left the process. The file only grows, and all
 * processes of a party on one machine append to it. A line is written after the database has committed what the line names, and before the
 * signature is released. So a crash in between releases nothing, and a database that lacks a named thing is older than the line. A line
 * costs no fsync: the kernel keeps it when the process dies, and the disk has it within a second.
 */
import { constants, type FileHandle, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Release } from '../../store/database/rollbacks.ts'
import { isWithdrawal } from '../../store/solver/withdrawals.ts'
import { RELEASE_LOG_SYNC_MS } from '../times.ts'
import { isCode, olderFile, putHeader, type RotationStep, rotate } from './rotate.ts'

export interface ReleaseLog {
  /** Returns the newest lines, oldest first, and all that name a lock, a refund or a withdrawal; null if there is no file. */
  read(): Promise<{ readonly id: string; readonly newest: readonly Release[]; readonly commitments: readonly Release[] } | null>
  create(id: string): Promise<void>
  append(release: Release): Promise<void>
  probe(): Promise<void>
  close(): Promise<void>
}

/** Lines of concurrent releases are not in the order of their commits, so more are compared than can be concurrent. */
const COMPARED = 500
/** A larger file is rotated, and one older file is kept. Together they have far more than the lines that are compared. */
const MAX_BYTES = 16 * 1024 * 1024

export type ReleaseLogOptions = { readonly maxBytes?: number; readonly before?: (step: RotationStep) => void }

export function openReleaseLog(path: string, { maxBytes = MAX_BYTES, before }: ReleaseLogOptions = {}): ReleaseLog {
  let waiting: { readonly line: string; resolve(): void; reject(error: unknown): void }[] = []
  let writing: Promise<void> | null = null
  let syncTimer: NodeJS.Timeout | null = null
  let syncing = Promise.resolve()

  /** One write takes everything in the queue. */
  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        // The line feed comes first because another process may have left a torn line, e.g. on a full disk.
        await write(`\n${batch.map(({ line }) => `${line}\n`).join('')}`)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = null
    syncTimer ??= setTimeout(() => {
      syncTimer = null
      syncing = sync().catch(() => undefined)
    }, RELEASE_LOG_SYNC_MS).unref()
  }

  /** The file is opened for each write: another process may have rotated it. Lines in a file that is renamed meanwhile stay in it. */
  async function write(text: string): Promise<void> {
    const file = (await openIfThere(path, APPEND)) ?? ((await putHeader(path)) ? await open(path, APPEND) : null)
    if (file === null) throw new Error(`${path} is gone`)
    try {
      await file.appendFile(text)
    } finally {
      await file.close()
    }
  }

  async function sync(): Promise<void> {
    for (const one of [olderFile(path), path]) {
      const file = await openIfThere(one, 'r+')
      try {
        await file?.datasync()
      } finally {
        await file?.close()
      }
    }
    await rotate(path, maxBytes, before)
  }

  /** True while a rotation has moved the file and not yet put the next one there, or has just done so. */
  const isRotating = async () => (await putHeader(path)) || (await readIfThere(path)) !== null

  function enqueue(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ line, resolve, reject })
      writing ??= flush()
    })
  }

  return {
    async read() {
      // In this order, a file that is renamed meanwhile is read twice and never missed.
      const text = await readIfThere(path)
      const older = await readIfThere(olderFile(path))
      // Without the newest lines the older ones prove nothing: somebody has moved the file away.
      if (text === null && !(await isRotating())) return null
      const all = [...parse(older ?? ''), ...parse(text ?? '')]
      const header = all.findLast((line) => 'log' in line)
      if (header === undefined || !('log' in header)) throw new Error(`${path} is not a release log: move it away`)
      const lines = all.filter((line) => !('log' in line))
      const after = lines.findLastIndex((line) => 'rollback' in line)
      const newest = [header, ...lines.slice(Math.max(0, after, lines.length - COMPARED))]
      return { id: header.log, newest, commitments: lines.filter(isCommitment) }
    },
    async create(id) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `${JSON.stringify({ log: id })}\n`, { flag: 'wx', mode: 0o600, flush: true }).catch((error: unknown) => {
        if (!isCode(error, 'EEXIST')) throw error
      })
    },
    append: (release) => enqueue(JSON.stringify(release)),
    // The reader ignores empty lines.
    probe: () => enqueue(''),
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

/** A commitment excludes another signature for the same order or withdrawal, whatever the database says. */
function isCommitment(line: Release): boolean {
  return 'lock' in line || 'deposits' in line || ('attempt' in line && isWithdrawal(line.attempt))
}

/** Without O_CREAT, because a created file would have no header. */
const APPEND = constants.O_WRONLY | constants.O_APPEND

async function openIfThere(path: string, flags: string | number): Promise<FileHandle | null> {
  return open(path, flags).catch(nullIfMissing)
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(nullIfMissing)
}

function nullIfMissing(error: unknown): null {
  if (isCode(error, 'ENOENT')) return null
  throw error
}

/** Torn lines are ignored: their signatures were never released. */
function parse(text: string): readonly Release[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Release]
    } catch {
      return []
    }
  })
}
