/** Tests how programs for tests are fetched: without tools, and by two processes. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fetchProgram, ProgramUnavailableError } from './fetch.ts'
import { programFolderName } from './packages.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-fetch-'))
  vi.stubEnv('TANDEM_NODES_DIR', join(folder, 'nodes'))
  vi.stubEnv('PATH', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

if (process.platform === 'linux') {
  test('without package tools it fails with the reason and leaves no folder behind', async () => {
    await expect(fetchProgram('bitcoind')).rejects.toThrow('bitcoind cannot be fetched: dpkg is not installed')
    expect(await readdir(join(folder, 'nodes'))).toEqual([])
  })

  test('removes the partial folder and the lock of a dead process', async () => {
    await mkdir(join(folder, 'nodes', '.partial-bitcoind-dead', 'root'), { recursive: true })
    await writeFile(join(folder, 'nodes', `${programFolderName('bitcoind')}.lock`), '2147483646')
    await expect(fetchProgram('bitcoind')).rejects.toThrow('dpkg is not installed')
    expect(await readdir(join(folder, 'nodes'))).toEqual([])
  })

  test('waits for the lock of another process until the time limit', async () => {
    await mkdir(join(folder, 'nodes'))
    const lock = `${programFolderName('bitcoind')}.lock`
    await writeFile(join(folder, 'nodes', lock), String(process.pid))
    await expect(fetchProgram('bitcoind', 100)).rejects.toThrow('it took too long')
    expect(await readdir(join(folder, 'nodes'))).toEqual([lock])
  })
} else {
  test('fails with the reason on systems other than Linux', async () => {
    await expect(fetchProgram('bitcoind')).rejects.toThrow(ProgramUnavailableError)
  })
}
