/**
 * The text of a file that holds a secret under a passphrase: scrypt makes the key, AES-256-GCM encrypts. The version stands for all
 * parameters, so a file cannot ask for less work, or for more memory.
 */
import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { createMutex } from '@tandem/runtime/mutex.ts'

const FORMAT = 'tandem-encrypted-secret'
const VERSION = 1

/** 128 MiB of memory for each try. OpenSSL needs a little more than 128 · N · r bytes. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 160 * 2 ** 20 } as const
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

const DESCRIPTION = `scrypt N=${SCRYPT.N} r=${SCRYPT.r} p=${SCRYPT.p}, ${CIPHER}`
const HEADER = Buffer.from(`${FORMAT} ${VERSION}`)

type Fields = { readonly salt: Buffer; readonly nonce: Buffer; readonly tag: Buffer; readonly ciphertext: Buffer }

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const oneAtATime = createMutex()

/** One key at a time: several keys are read at once, and each takes 128 MiB. */
function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  return oneAtATime('scrypt', () => derive(passphrase.normalize('NFKC'), salt, KEY_BYTES, SCRYPT))
}

export async function encryptSecret(secret: string, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt), nonce).setAAD(HEADER)
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  const hex = { salt, nonce, tag: cipher.getAuthTag(), ciphertext }
  const fields = Object.fromEntries(Object.entries(hex).map(([name, bytes]) => [name, bytes.toString('hex')]))
  return `${JSON.stringify({ format: FORMAT, version: VERSION, encryption: DESCRIPTION, ...fields }, null, 2)}\n`
}

/** A plain secret is never an object of our format. */
export function isEncrypted(text: string): boolean {
  return headOf(text)?.format === FORMAT
}

/** Throws in phrases that go on after the name of the file, and quote nothing of it. */
export async function decryptSecret(text: string, passphrase: string): Promise<string> {
  const { salt, nonce, tag, ciphertext } = fieldsOf(text)
  const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, salt), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(HEADER).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
  } catch {
    throw new Error('cannot be decrypted: the passphrase is wrong, or the file was changed')
  }
}

function fieldsOf(text: string): Fields {
  const head = headOf(text)
  if (head?.format !== FORMAT) throw new Error('is not encrypted, but a passphrase is named: `tandem keys encrypt` encrypts a file')
  if (head.version !== VERSION) throw new Error(`has an unknown version of the format: this program reads version ${VERSION}`)
  const read = (name: keyof Fields, bytes?: number) => {
    const value = head[name]
    const buffer = typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value) ? Buffer.from(value, 'hex') : null
    if (buffer === null || (bytes !== undefined && buffer.length !== bytes)) throw new Error(`is damaged: its "${name}" is not as expected`)
    return buffer
  }
  return { salt: read('salt', SALT_BYTES), nonce: read('nonce', NONCE_BYTES), tag: read('tag', TAG_BYTES), ciphertext: read('ciphertext') }
}

function headOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : null
  } catch {
    return null
  }
}
