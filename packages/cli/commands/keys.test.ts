import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, writeServiceConfig, writeSolverConfig } from './command.fixture.ts'
import { createKeyCommand, showKeyCommand } from './keys.ts'

test('creates a key that only its owner can read, never over another, and shows its public key from a configuration', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-keys-'))
  const file = join(folder, 'keys', 'signing')
  const { answer: publicKey, notes } = await runCommand((terminal) => createKeyCommand(file, terminal))
  const seed = await readFile(file, 'utf8')
  expect(publicKey).toMatch(/^[0-9a-f]{64}$/)
  expect(`${publicKey} ${notes}`).not.toContain(seed.trim())
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'keys'))).mode & 0o777).toBe(0o700)
  await expect(runCommand((terminal) => createKeyCommand(file, terminal))).rejects.toThrow('EEXIST')
  expect(await readFile(file, 'utf8')).toBe(seed)

  for (const write of [writeServiceConfig, writeSolverConfig]) {
    const party = await write('postgres://127.0.0.1/none')
    await writeFile(join(party.folder, 'signing'), seed, { mode: 0o600 })
    expect((await runCommand((terminal) => showKeyCommand(party, terminal))).answer).toBe(publicKey)
    await party.remove()
  }
  await rm(folder, { recursive: true })
})
