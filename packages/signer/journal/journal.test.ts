/** Tests that a journal keeps what was granted through crashes, and notices every other hand. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal } from './journal.ts'

type Entry = { readonly what: string }

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-journal-'))
  path = join(folder, 'journal')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function open(): Promise<{ readonly journal: Journal<Entry>; readonly past: readonly string[] }> {
  const past: string[] = []
  const journal = await openJournal<Entry>(path, (entry) => void past.push((entry as Entry).what))
  return { journal, past }
}

async function reopened(): Promise<readonly string[]> {
  const { journal, past } = await open()
  await journal.close()
  return past
}

async function write(...entries: readonly string[]): Promise<void> {
  const { journal } = await open()
  await Promise.all(entries.map((what) => journal.append({ what })))
  await journal.close()
}

test('what was appended is there after a start, in its order', async () => {
  await write('a', 'b')
  await write('c')
  expect(await reopened()).toEqual(['a', 'b', 'c'])
})

test('the head names every entry', async () => {
  const { journal } = await open()
  const heads = [journal.head(), await journal.append({ what: 'a' }), await journal.append({ what: 'b' })]
  expect(heads.map(({ count }) => count)).toEqual([0, 1, 2])
  expect(heads.map(({ count }) => journal.hashAt(count))).toEqual(heads.map(({ hash }) => hash))
  expect(journal.hashAt(3)).toBeNull()
  await journal.close()
  const again = await open()
  expect(again.journal.head()).toEqual(heads[2])
  expect(again.journal.hashAt(1)).toBe(heads[1]?.hash)
  await again.journal.close()
})

test('the head names no entry that a crash can still take', async () => {
  const { journal } = await open()
  const before = journal.head()
  const writing = journal.append({ what: 'a' })
  expect(journal.head()).toEqual(before)
  const after = await writing
  expect(journal.head()).toEqual(after)
  await Promise.all(['b', 'c'].map((what) => journal.append({ what })))
  expect(journal.head().count).toBe(3)
  await journal.close()
})

test('a crash in the middle of a line loses that line, and no other', async () => {
  await write('a', 'b')
  const whole = await readFile(path)
  const lineEnd = whole.indexOf('\n') + 1
  for (const end of [lineEnd + 1, whole.length - 1]) {
    await writeFile(path, whole)
    await truncate(path, end)
    expect(await reopened()).toEqual(['a'])
    expect(await readFile(path)).toEqual(whole.subarray(0, lineEnd))
  }
})

test('any change of a complete line stops the start', async () => {
  await write('a', 'b', 'c')
  const whole = await readFile(path)
  const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: lastLine - 1 }), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ flip
      await writeFile(path, changed)
      await expect(open()).rejects.toThrow('is not as it was written')
    }),
    { numRuns: 60 },
  )
})

test('a line that was removed, moved or added stops the start', async () => {
  await write('a', 'b', 'c')
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const [a = '', b = '', c = ''] = lines
  for (const wrong of [
    [b, c],
    [a, c],
    [b, a, c],
    [a, b, b, c],
    [a, b, c, ''],
    [a, b, c, 'x'],
    [a, b, c.replace('"c"', '"d" ')],
  ]) {
    await writeFile(path, wrong.map((line) => `${line}\n`).join(''))
    await expect(open()).rejects.toThrow('is not as it was written')
  }
})

test('an entry that the version does not know stops the start', async () => {
  await write('a')
  const replay = () => {
    throw new Error('is of a later version')
  }
  await expect(openJournal(path, replay)).rejects.toThrow('line 1 is of a later version')
  expect(await reopened()).toEqual(['a'])
})

test('what another hand wrote meanwhile stops every grant', async () => {
  const { journal } = await open()
  await journal.append({ what: 'a' })
  await appendFile(path, 'x')
  await expect(journal.append({ what: 'b' })).rejects.toThrow('cannot be written')
  await expect(journal.append({ what: 'c' })).rejects.toThrow('cannot be written')
  await journal.close()
})

test('only one process has it at a time, and a dead one does not keep it', async () => {
  const { journal } = await open()
  await expect(open()).rejects.toThrow('another signer has the journal')
  await journal.close()
  const module = fileURLToPath(new URL('journal.ts', import.meta.url))
  const program = `import('${module}').then(async ({ openJournal }) => {
    const journal = await openJournal('${path}', () => {})
    await journal.append({ what: 'of the other' })
    console.log('open')
    setInterval(() => {}, 1000)
  })`
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await expect(open()).rejects.toThrow('another signer has the journal')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await reopened()).toEqual(['of the other'])
}, 60_000)

test('of several that find a dead one at the same moment, at most one gets it, and then another does', async () => {
  for (let round = 0; round < 20; round += 1) {
    await writeFile(`${path}.lock.dead`, '999999999 1')
    const opened = await Promise.allSettled(Array.from({ length: 5 }, () => open()))
    const won = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(won.length).toBeLessThanOrEqual(1)
    for (const { journal } of won) await journal.close()
    expect(await reopened()).toEqual([])
  }
})
