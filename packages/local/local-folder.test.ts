import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimFolder } from './local-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const pidFile = () => join(folder, 'pid')

/** Reads its standard input, so it exits when this process does. */
async function startProcess() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    async end() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}

test('is claimed by this process, and released', async () => {
  const release = await claimFolder(join(folder, 'made', 'on', 'the', 'way'))
  expect(await readFile(join(folder, 'made', 'on', 'the', 'way', 'pid'), 'utf8')).toBe(String(process.pid))
  await release()
  expect(await readdir(join(folder, 'made', 'on', 'the', 'way'))).toEqual([])
  await release()
})

test('is refused while another process holds it, and taken over once that process has ended', async () => {
  const other = await startProcess()
  try {
    await writeFile(pidFile(), String(other.pid))
    await expect(claimFolder(folder)).rejects.toThrow(`running already (process ${other.pid}). Stop it first: kill ${other.pid}`)
    expect(await readFile(pidFile(), 'utf8')).toBe(String(other.pid))
  } finally {
    await other.end()
  }
  await claimFolder(folder)
  expect(await readFile(pidFile(), 'utf8')).toBe(String(process.pid))
})

test('a claim with our own pid is taken over: an ended process had the same pid', async () => {
  await writeFile(pidFile(), String(process.pid))
  await (await claimFolder(folder))()
})

test.each(['', 'nonsense', '-1', '0', '1.5'])('a file that says "%s" names no process', async (text) => {
  await writeFile(pidFile(), text)
  await claimFolder(folder)
  expect(await readFile(pidFile(), 'utf8')).toBe(String(process.pid))
})

test('a folder that cannot be read is not taken over', async () => {
  await rm(folder, { recursive: true })
  await writeFile(folder, 'a file')
  await expect(claimFolder(folder)).rejects.toThrow()
})
