/** Tests that `tandem keys` makes keys of each curve, and that an encrypted key is never on the disk in plain. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createKey, curves } from '@tandem/keys/keyring.ts'
import { createSecretReader } from '@tandem/party/config/read-secret.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { runCommand } from './command.fixture.ts'
import { createKeyCommand, encryptKeyCommand } from './keys.ts'

const PASSPHRASE = 'a long passphrase'
const passphraseEnv = 'TANDEM_TEST_PASSPHRASE'
const passphrase = { env: passphraseEnv }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-keys-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => void vi.stubEnv(passphraseEnv, PASSPHRASE))
afterEach(() => vi.unstubAllEnvs())

const create = (name: string, options: Parameters<typeof createKeyCommand>[1]) =>
  runCommand((terminal) => createKeyCommand(join(folder, name), options, terminal))
const encrypt = (name: string, options: Parameters<typeof encryptKeyCommand>[1] = { passphraseEnv }) =>
  runCommand((terminal) => encryptKeyCommand(join(folder, name), options, terminal))
const decrypted = (file: string) => createSecretReader(folder).read({ file, passphrase }, '/key')

test.each(curves)('%s: the file has the key of the public key that is shown', async (curve) => {
  const { answer } = await create(curve, { curve })
  expect(answer).toBe(bytesToHex(createKey(curve, (await readFile(join(folder, curve), 'utf8')).trim()).publicKey))
})

test('an encrypted key is shown by its public key only, and is the one in the file', async () => {
  const { answer, notes } = await create('sealed', { curve: 'secp256k1', encrypt: true, passphraseEnv })
  const key = await decrypted('sealed')
  expect(answer).toBe(bytesToHex(createKey('secp256k1', key).publicKey))
  expect(`${notes} ${await readFile(join(folder, 'sealed'), 'utf8')}`).not.toContain(key)
  expect((await stat(join(folder, 'sealed'))).mode & 0o777).toBe(0o600)
})

test('a file is encrypted in its place, once', async () => {
  const secret = '5e'.repeat(32)
  await writeFile(join(folder, 'plain'), `${secret}\n`, { mode: 0o644 })
  const { answer, notes } = await encrypt('plain')
  const text = await readFile(join(folder, 'plain'), 'utf8')
  expect(`${answer} ${notes} ${text}`).not.toContain(secret)
  expect(await decrypted('plain')).toBe(secret)
  expect((await stat(join(folder, 'plain'))).mode & 0o777).toBe(0o600)
  await expect(encrypt('plain')).rejects.toThrow('plain is encrypted already')
  expect(await readFile(join(folder, 'plain'), 'utf8')).toBe(text)
  expect((await readdir(folder)).filter((name) => name.startsWith('plain'))).toEqual(['plain'])
})

test('wrong options are refused before anything is written', async () => {
  const refused = (options: Parameters<typeof createKeyCommand>[1]) => expect(create('refused', options)).rejects
  await refused({ curve: 'p256' }).toThrow('--curve takes secp256k1, ed25519, stark, got "p256"')
  await refused({ encrypt: true }).toThrow('say where the passphrase is')
  await refused({ encrypt: true, passphraseEnv, passphraseFile: 'also' }).toThrow('say where the passphrase is')
  await refused({ passphraseEnv }).toThrow('a passphrase is used with --encrypt only')
  vi.stubEnv(passphraseEnv, 'too short')
  await refused({ encrypt: true, passphraseEnv }).toThrow(/^--passphrase-env: the passphrase is too short: expected 12 characters or more$/)
  await expect(encrypt('none')).rejects.toThrow('none does not exist')
  expect(await readdir(folder)).not.toContain('refused')
})
