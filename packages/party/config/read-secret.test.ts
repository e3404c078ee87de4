/** Tests from where secrets are read, and that no error quotes them. */
import { createDecipheriv, scryptSync } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { decryptSecret, encryptSecret } from './encrypted-file.ts'
import { createSecretReader } from './read-secret.ts'
import { runSecretCommand } from './secret-command.ts'

const SECRET = '4f'.repeat(32)
const PASSPHRASE = 'a long passphrase, grün'

let folder: string
/** One file for all tests: each scrypt takes most of a second. */
let encrypted: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-secret-'))
  encrypted = await encryptSecret(SECRET, PASSPHRASE)
  await write('encrypted', encrypted)
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const write = (name: string, text: string, mode = 0o600) => writeFile(join(folder, name), text, { mode })
const read = (reference: Parameters<ReturnType<typeof createSecretReader>['read']>[0]) =>
  createSecretReader(folder).read(reference, '/vault_key')
const node = (...lines: readonly string[]) => ({ command: [process.execPath, '-e', lines.join(';')] })

/** All that a log would show of the error. */
async function shownError(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.unreachable('it did not fail'),
    (reason: unknown) => reason,
  )
  const texts: string[] = []
  for (let one: unknown = error; one instanceof Error; one = one.cause) texts.push(JSON.stringify({ ...one }), `${one.stack}`)
  expect(texts.join('\n')).not.toContain(SECRET)
  expect(texts.join('\n')).not.toContain(PASSPHRASE)
  return error instanceof Error ? error.message : String(error)
}

describe('a program', () => {
  test('prints the secret; it runs without a shell, without input, in the folder of the configuration', async () => {
    expect(await read(node(`console.log(${JSON.stringify(SECRET)})`))).toBe(SECRET)
    expect(await read({ command: [process.execPath, '-p', 'process.argv[1]', '$HOME; echo *'] })).toBe('$HOME; echo *')
    expect(await read(node('console.log(process.cwd())'))).toContain('tandem-secret-')
    expect(await read(node(`process.stdin.resume().on('end', () => console.log('ended'))`))).toBe('ended')
  })

  test('runs once for each setting, and again after it failed', async () => {
    const counted = node(
      `const { existsSync, appendFileSync, readFileSync } = require('node:fs')`,
      `const isFirst = !existsSync('runs')`,
      `appendFileSync('runs', '.')`,
      `if (isFirst) process.exit(1)`,
      `console.log(readFileSync('runs', 'utf8'))`,
    )
    const reader = createSecretReader(folder)
    await expect(reader.read(counted, '/vault_key')).rejects.toThrow('exit code 1')
    expect(await reader.read(counted, '/vault_key')).toBe('..')
    expect(await reader.read(counted, '/vault_key')).toBe('..')
  })

  test('that fails is named in the error; its arguments and what it printed are not', async () => {
    const program = `/vault_key: the program ${process.execPath}`
    const prints = `console.log('${SECRET}'); console.error('${SECRET}')`
    expect(await shownError(read(node(prints, 'process.exit(3)')))).toBe(`${program} ended with the exit code 3`)
    expect(await shownError(read(node(`process.stdout.write('${SECRET}'.repeat(2000))`)))).toBe(`${program} printed more than 65536 bytes`)
    expect(await shownError(read(node('')))).toBe(`${program} is empty: expected a secret`)
    expect(await shownError(read({ command: ['tandem-no-such-program', SECRET] }))).toBe(
      '/vault_key: the program tandem-no-such-program does not exist',
    )
    await write('plain', 'x')
    expect(await shownError(read({ command: [join(folder, 'plain'), SECRET] }))).toContain('this user may not execute it')
  })

  test('that does not end is ended', async () => {
    const { command } = node(`console.log('${SECRET}')`, 'setInterval(() => undefined, 1000)')
    expect(await shownError(runSecretCommand(command, folder, 300))).toBe('did not end within 0.3 s')
  })
})

describe('an encrypted file', () => {
  test('is read with its passphrase, from each source', async () => {
    vi.stubEnv('TANDEM_TEST_PASSPHRASE', PASSPHRASE)
    await write('passphrase', `${PASSPHRASE}\n`)
    expect(await read({ file: 'encrypted', passphrase: { env: 'TANDEM_TEST_PASSPHRASE' } })).toBe(SECRET)
    expect(await read({ file: 'encrypted', passphrase: { file: 'passphrase' } })).toBe(SECRET)
    expect(await read({ file: 'encrypted', passphrase: node(`console.log('${PASSPHRASE}')`) })).toBe(SECRET)
  })

  test('is scrypt and AES-256-GCM, with a new salt each time, and holds nothing in plain', async () => {
    const { format, version, salt, nonce, tag, ciphertext } = JSON.parse(encrypted)
    const key = scryptSync(PASSPHRASE, Buffer.from(salt, 'hex'), 32, { N: 131072, r: 8, p: 1, maxmem: 2 ** 28 })
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'hex'))
    decipher.setAAD(Buffer.from('tandem-encrypted-secret 1')).setAuthTag(Buffer.from(tag, 'hex'))
    expect(decipher.update(ciphertext, 'hex', 'utf8') + decipher.final('utf8')).toBe(SECRET)
    expect({ format, version }).toEqual({ format: 'tandem-encrypted-secret', version: 1 })
    expect(encrypted).not.toContain(SECRET)
    const again = JSON.parse(await encryptSecret(SECRET, PASSPHRASE))
    for (const field of ['salt', 'nonce', 'ciphertext']) expect(again[field]).not.toBe(JSON.parse(encrypted)[field])
  })

  test('says what is wrong: the passphrase, a changed file, another version, a file in plain', async () => {
    const place = (name: string) => `/vault_key: the file ${join(folder, name)}`
    const changed = (change: object) => write('changed', JSON.stringify({ ...JSON.parse(encrypted), ...change }))
    vi.stubEnv('TANDEM_TEST_PASSPHRASE', PASSPHRASE)
    vi.stubEnv('TANDEM_TEST_OTHER', 'another passphrase')
    const passphrase = { env: 'TANDEM_TEST_PASSPHRASE' }
    expect(await shownError(read({ file: 'encrypted', passphrase: { env: 'TANDEM_TEST_OTHER' } }))).toBe(
      `${place('encrypted')} cannot be decrypted: the passphrase is wrong, or the file was changed`,
    )
    expect(await shownError(read({ file: 'encrypted', passphrase: { env: 'TANDEM_TEST_NONE' } }))).toBe(
      '/vault_key/passphrase: the environment variable TANDEM_TEST_NONE is not set',
    )
    await changed({ nonce: '00'.repeat(12) })
    expect(await shownError(read({ file: 'changed', passphrase }))).toContain('or the file was changed')
    await changed({ version: 2 })
    expect(await shownError(read({ file: 'changed', passphrase }))).toContain('this program reads version 1')
    await changed({ tag: '00' })
    expect(await shownError(read({ file: 'changed', passphrase }))).toBe(`${place('changed')} is damaged: its "tag" is not as expected`)
    await write('plain-key', SECRET)
    expect(await shownError(read({ file: 'plain-key', passphrase }))).toContain('is not encrypted, but a passphrase is named')
    expect(await shownError(read({ file: 'encrypted' }))).toContain('is encrypted: name its passphrase')
  })

  test('a passphrase is one, however its letters are composed', async () => {
    expect(await decryptSecret(encrypted, PASSPHRASE.normalize('NFD'))).toBe(SECRET)
  })
})

describe('a plain file', () => {
  test.skipIf(process.platform === 'win32')('that others can open is used, with a warning; an encrypted one needs none', async () => {
    const reader = createSecretReader(folder)
    vi.stubEnv('TANDEM_TEST_PASSPHRASE', PASSPHRASE)
    for (const name of ['own', 'group', 'world']) await write(name, SECRET)
    await chmod(join(folder, 'group'), 0o640)
    await chmod(join(folder, 'world'), 0o644)
    await chmod(join(folder, 'encrypted'), 0o644)
    for (const name of ['own', 'group', 'world']) expect(await reader.read({ file: name }, `/${name}`)).toBe(SECRET)
    await reader.read({ file: 'encrypted', passphrase: { env: 'TANDEM_TEST_PASSPHRASE' } }, '/encrypted')
    expect(reader.warnings()).toEqual([
      `/group: the file ${join(folder, 'group')} can be opened by its group: chmod 600 ${join(folder, 'group')}`,
      `/world: the file ${join(folder, 'world')} can be opened by every user of this machine: chmod 600 ${join(folder, 'world')}`,
    ])
  })
})
