/** Tests that the release log loses no line, also when a rotation crashes. */
import { appendFile, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refundOf } from './refund-of.fixture.ts'
import { openReleaseLog, type ReleaseLog, type ReleaseLogOptions } from './release-log.ts'
import type { RotationStep } from './rotate.ts'

const MAX_BYTES = 1200
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-release-log-'))
  path = join(folder, 'releases.log')
  await openReleaseLog(path).create('the log')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (options: ReleaseLogOptions = {}) => openReleaseLog(path, { maxBytes: MAX_BYTES, ...options })
const nameOf = (n: number) => `order ${String(n).padStart(4, '0')}`

async function write(log: ReleaseLog, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) await log.append(refundOf(nameOf(n)))
}

async function readBack(): Promise<readonly string[]> {
  const { newest = [] } = (await open().read()) ?? {}
  return newest.flatMap((line) => ('refund' in line ? [line.refund] : []))
}

const expected = (count: number) => Array.from({ length: count }, (_, n) => nameOf(n))

test('begins a new file when it is large, and keeps one older one', async () => {
  const sizes: number[] = []
  for (let n = 0; n < 60; n += 10) {
    const log = open()
    await write(log, n, n + 10)
    await log.close()
    sizes.push((await readFile(path, 'utf8')).length)
  }
  expect(Math.max(...sizes)).toBeLessThan(MAX_BYTES)
  expect((await readdir(folder)).sort()).toEqual(['releases.log', 'releases.log.old'])
  const found = await readBack()
  expect(found).toEqual(expected(60).slice(-found.length))
  expect(found.length).toBeGreaterThanOrEqual(20)
  expect((await open().read())?.id).toBe('the log')
})

describe('a crash of the rotation before the step', () => {
  const steps: readonly RotationStep[] = ['lock', 'write header', 'rename', 'put header', 'unlock', 'sync folder']
  test.each(steps)('%s loses no line, of no process', async (crashing) => {
    const reached: string[] = []
    const log = open({
      before(step) {
        reached.push(step)
        if (step === crashing) throw new Error('the process dies')
      },
    })
    const other = open()
    await write(log, 0, 20)
    await log.close()
    expect(reached.at(-1)).toBe(crashing)
    expect(await readBack()).toEqual(expected(20))
    await write(other, 20, 21)
    await write(open(), 21, 22)
    expect(await readBack()).toEqual(expected(22))
    expect((await open().read())?.id).toBe('the log')
  })

  test.each(steps)('%s does not end all rotations', async (crashing) => {
    const log = open({
      before(step) {
        if (step === crashing) throw new Error('the process dies')
      },
    })
    await write(log, 0, 20)
    await log.close()
    // The lock is released only when it is certain that its process has died.
    const left = (await readdir(folder)).filter((name) => name.endsWith('.new'))
    for (const name of left) await utimes(join(folder, name), 0, 0)
    for (let n = 20; n < 80; n += 20) {
      const next = open()
      await write(next, n, n + 20)
      await next.close()
    }
    expect((await readFile(path, 'utf8')).length).toBeLessThan(MAX_BYTES)
    const found = await readBack()
    expect(found).toEqual(expected(80).slice(-found.length))
  })
})

test('a line after one that is torn is read: another process may have failed to write it', async () => {
  const log = open()
  await write(log, 0, 1)
  await appendFile(path, '{"refund":"half of an or')
  await write(log, 1, 2)
  expect(await readBack()).toEqual(expected(2))
})

test('with the older file alone there is no log: the newest lines are gone', async () => {
  const log = open()
  await write(log, 0, 20)
  await log.close()
  expect(await readdir(folder)).toContain('releases.log.old')
  await rm(path)
  expect(await open().read()).toBeNull()
  await open().create('another log')
  await write(open(), 20, 21)
  expect((await open().read())?.id).toBe('another log')
  expect((await readBack()).at(-1)).toBe(nameOf(20))
})
