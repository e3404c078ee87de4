/** Tests that a file storage loses nothing when processes or machines stop, and has one owner. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { StorageError } from '../swap/storage.ts'
import { fileStorage } from './file-storage.ts'
import { stopAfter } from './stopped-machine.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'tandem-storage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function newPath(): string {
  files += 1
  return join(folder, `${files}.json`)
}

type Child = { readonly process: ChildProcess; readonly lines: AsyncIterator<string>; readonly ended: Promise<unknown> }

/** Another process that runs this code with `storage`, or prints why it has none. */
function start(path: string, code: string): Child {
  const program = `
    import { fileStorage } from ${JSON.stringify(join(import.meta.dirname, 'file-storage.ts'))}
    let storage
    try { storage = fileStorage(${JSON.stringify(path)}) } catch (error) { console.log(error.name + ': ' + error.message); process.exit(0) }
    ${code}`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  return { process: child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), ended: once(child, 'close') }
}

const next = async ({ lines }: Child) => (await lines.next()).value as string | undefined

const FOREVER = 'setInterval(() => {}, 1e6)'
const COUNT = "for (let n = 1; ; n += 1) { storage.setItem('n', String(n)); console.log(n); await new Promise(setImmediate) }"

test('items that were set are there for the next process; only the owner may read the file', async () => {
  const path = newPath()
  const first = start(
    path,
    "storage.setItem('a', '1'); storage.setItem('__proto__', '2'); console.log(storage.getItem('a'), storage.getItem('b'))",
  )
  expect(await next(first)).toBe('1 null')
  await first.ended
  expect(statSync(path).mode & 0o777).toBe(0o600)
  chmodSync(path, 0o644)
  const storage = fileStorage(path)
  expect([storage.getItem('a'), storage.getItem('__proto__'), storage.getItem('toString')]).toEqual(['1', '2', null])
  storage.setItem('a', '3')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.startsWith('1.json'))).toEqual(['1.json', '1.json.lock.1'])
})

test('one process has one storage for a file, under each of its names', () => {
  const [path, link] = [newPath(), newPath()]
  const storage = fileStorage(path)
  storage.setItem('a', '1')
  symlinkSync(path, link)
  expect([fileStorage(path), fileStorage(link), fileStorage(join(folder, '.', path.slice(folder.length)))]).toEqual([
    storage,
    storage,
    storage,
  ])
  expect(fileStorage(link)).toBe(storage)
})

test('a second process is refused while the first lives, and has everything when that was killed', async () => {
  const path = newPath()
  const first = start(path, `storage.setItem('a', '1'); console.log('set'); ${FOREVER}`)
  expect(await next(first)).toBe('set')
  expect(() => fileStorage(path)).toThrow(
    new StorageError(`process ${first.process.pid} has ${path} open: give each process a file of its own`),
  )
  first.process.kill('SIGKILL')
  await first.ended
  expect(fileStorage(path).getItem('a')).toBe('1')
})

test('one of several processes that find the lock of a dead one gets the file', async () => {
  const path = newPath()
  const dead = start(path, "console.log('open'); process.kill(process.pid, 'SIGKILL')")
  expect(await next(dead)).toBe('open')
  await dead.ended
  const children = Array.from({ length: 4 }, () => start(path, `console.log('open'); ${FOREVER}`))
  const said = await Promise.all(children.map(next))
  expect(said.filter((line) => line === 'open').length).toBeLessThanOrEqual(1)
  for (const line of said) if (line !== 'open') expect(line).toMatch(/^StorageError: process \d+ has /)
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.map(({ ended }) => ended))
  expect(fileStorage(path).getItem('a')).toBeNull()
})

test('a process that is killed loses nothing that was set', async () => {
  const path = newPath()
  const child = start(path, COUNT)
  let acknowledged = 0
  while (acknowledged < 7) acknowledged = Number(await next(child))
  child.process.kill('SIGKILL')
  await child.ended
  expect(Number(fileStorage(path).getItem('n'))).toBeGreaterThanOrEqual(acknowledged)
})

test('whenever the machine stops during a write, the file has the old items or the new ones; afterwards the new ones', () => {
  for (let steps = 1; ; steps += 1) {
    const path = newPath()
    const storage = fileStorage(path)
    storage.setItem('a', '1')
    const isWritten = stopAfter(steps, () => storage.setItem('a', '2'))
    const found = JSON.parse(readFileSync(path, 'utf8'))
    if (isWritten) expect(found).toEqual({ a: '2' })
    else expect([{ a: '1' }, { a: '2' }]).toContainEqual(found)
    if (!isWritten) continue
    // Each call of a write was the last one once.
    expect(steps).toBeGreaterThan(4)
    return
  }
})

test('half of a new file, which a crash left, is not read and not in the way', () => {
  const path = newPath()
  writeFileSync(path, '{"a":"1"}')
  writeFileSync(`${path}.tmp`, '{"a":"1","b":"a very long val')
  const storage = fileStorage(path)
  expect([storage.getItem('a'), storage.getItem('b')]).toEqual(['1', null])
  storage.setItem('b', '2')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: '1', b: '2' })
})

test.each(['', 'seed words', '[1]', '{"a":1}', 'null'])(
  'a file with other contents is refused, not overwritten, and not shown: %j',
  (text) => {
    const path = newPath()
    writeFileSync(path, text)
    expect(() => fileStorage(path)).toThrow(
      new StorageError(`${path} is not a file of this storage, and stays as it is: give another path`),
    )
    expect(readFileSync(path, 'utf8')).toBe(text)
    rmSync(path)
    expect(fileStorage(path).getItem('a')).toBeNull()
  },
)

test('a value that could not be written is not remembered either', () => {
  const path = newPath()
  const storage = fileStorage(path)
  storage.setItem('a', '1')
  rmSync(path)
  symlinkSync(folder, `${path}.tmp`)
  expect(() => storage.setItem('a', '2')).toThrow(/EISDIR/)
  expect(storage.getItem('a')).toBe('1')
})

test('a lock of another machine is believed; its file is named', () => {
  const path = newPath()
  writeFileSync(`${path}.lock.3`, JSON.stringify({ pid: 1, host: 'elsewhere', started: '' }))
  expect(() => fileStorage(path)).toThrow(/process 1 of the machine or container elsewhere has .* If that one is gone, remove .*\.lock\.3$/)
})

test('the id of a dead process that another one has got is no lock', () => {
  const path = newPath()
  writeFileSync(`${path}.lock.3`, JSON.stringify({ pid: process.pid, host: hostname(), started: 'an earlier boot' }))
  expect(fileStorage(path).getItem('a')).toBeNull()
  expect(readdirSync(folder).filter((name) => name.startsWith(`${files}.json`))).toEqual([`${files}.json.lock.4`])
})
