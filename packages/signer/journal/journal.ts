/**
 * The journal of a signer: one line for each grant and each refusal, with the hash of the line before. It only grows, one process writes it, and a grant is on
 * the disk before its signature leaves. It is read whole at the start: a line that was changed, removed or added by another hand stops the start. Only an
 * incomplete last line is taken away, since its signature never left.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { lockFile } from './lock-file.ts'

export type Head = { readonly count: number; readonly hash: string }

export interface Journal<E> {
  /** The head on the disk: a crash must not take what a caller has seen. */
  head(): Head
  /** Returns the hash after this many entries; null if it is not kept, or there are not so many. */
  hashAt(count: number): string | null
  /** Resolves when the entry is on the disk. After a failure nothing can be written until the next start. */
  append(entry: E): Promise<Head>
  close(): Promise<void>
}

const NO_ENTRIES: Head = { count: 0, hash: '0'.repeat(64) }
/** Hashes of so many entries are kept for comparison. */
const MAX_HASHES = 100_000
const LINE_FEED = 0x0a

type Line = { readonly n: number; readonly prev: string; readonly entry: unknown }

/** `replay` gets all entries, oldest first, and throws for one that this version does not write. */
export async function openJournal<E>(path: string, replay: (value: unknown) => void): Promise<Journal<E>> {
  await mkdir(dirname(path), { recursive: true })
  const lock = await lockFile(`${path}.lock`)
  try {
    const file = await open(path, 'a+', 0o600)
    try {
      return await openLocked(file, path, replay, lock.release)
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openLocked<E>(
  file: FileHandle,
  path: string,
  replay: (value: unknown) => void,
  release: () => Promise<void>,
): Promise<Journal<E>> {
  const { hashes, size: readSize } = await readAll(file, path, replay)
  let size = readSize
  let head: Head = { count: hashes.length, hash: hashes.at(-1) ?? NO_ENTRIES.hash }
  let last = head
  let firstKept = 0
  let failure: Error | null = null
  let waiting: { readonly line: string; readonly head: Head; resolve(head: Head): void; reject(error: unknown): void }[] = []
  let writing: Promise<void> | null = null

  /** One write and one fsync take everything in the queue. */
  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        if (failure !== null) throw failure
        await write(batch.map(({ line }) => `${line}\n`).join(''))
        for (const { head: after, resolve } of batch) {
          head = after
          resolve(after)
        }
      } catch (cause) {
        failure ??= new Error(`the journal ${path} cannot be written: nothing is signed until the signer is started again`, { cause })
        for (const { reject } of batch) reject(failure)
      }
    }
    writing = null
  }

  async function write(text: string): Promise<void> {
    const { size: now } = await file.stat()
    if (now !== size) throw new Error(`somebody else has written to it: it has ${now} bytes, and should have ${size}`)
    await file.appendFile(text)
    await file.datasync()
    size += Buffer.byteLength(text)
  }

  return {
    head: () => head,
    hashAt: (count) => (count === 0 ? NO_ENTRIES.hash : (hashes[count - 1 - firstKept] ?? null)),
    append(entry) {
      if (failure !== null) return Promise.reject(failure)
      const line = writeLine(last, entry)
      const after = { count: last.count + 1, hash: hashOf(line) }
      last = after
      hashes.push(after.hash)
      if (hashes.length > 2 * MAX_HASHES) {
        hashes.splice(0, MAX_HASHES)
        firstKept += MAX_HASHES
      }
      return new Promise((resolve, reject) => {
        waiting.push({ line, head: after, resolve, reject })
        writing ??= flush()
      })
    },
    async close() {
      await writing
      await file.close()
      await release()
    },
  }
}

async function readAll(file: FileHandle, path: string, replay: (value: unknown) => void) {
  const hashes: string[] = []
  let rest = Buffer.alloc(0)
  let size = 0
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    const bytes = Buffer.concat([rest, chunk as Buffer])
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      const line = bytes.toString('utf8', from, end)
      replayLine(line, { n: hashes.length + 1, prev: hashes.at(-1) ?? NO_ENTRIES.hash }, path, replay)
      hashes.push(hashOf(line))
      from = end + 1
    }
    size += from
    rest = bytes.subarray(from)
  }
  if (rest.length > 0) {
    await file.truncate(size)
    await file.datasync()
  }
  return { hashes, size }
}

function replayLine(line: string, expected: Omit<Line, 'entry'>, path: string, replay: (value: unknown) => void): void {
  const broken = (why: string) =>
    new Error(`the journal ${path} is not as it was written: line ${expected.n} ${why}. Nothing is signed with it`)
  let parsed: Line
  try {
    parsed = JSON.parse(line) as Line
  } catch {
    throw broken('is no entry')
  }
  const { n, prev, entry } = parsed
  if (n !== expected.n || prev !== expected.prev) throw broken('does not follow the one before')
  // A line that says the same in other words has another hash, and would be found only by the next one.
  if (writeLine({ count: n - 1, hash: prev }, entry) !== line) throw broken('has another form')
  try {
    replay(entry)
  } catch (error) {
    throw broken(error instanceof Error ? error.message : 'cannot be read')
  }
}

function writeLine({ count, hash }: Head, entry: unknown): string {
  return JSON.stringify({ n: count + 1, prev: hash, entry })
}

function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('hex')
}
