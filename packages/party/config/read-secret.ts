/** Reads a secret from where the configuration says it is. Errors name the setting and the place, and never quote the secret. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { decryptSecret, isEncrypted } from './encrypted-file.ts'
import { exposureOf } from './file-exposure.ts'
import { fileFault } from './problem-texts.ts'
import type { SecretReference } from './schema.ts'
import { runSecretCommand } from './secret-command.ts'

export type SecretReader = {
  /** `setting` is the path of the setting that names the secret. */
  read(reference: SecretReference, setting: string): Promise<string>
  /** The files with plain secrets, of those that were read, that other users can open. */
  warnings(): readonly string[]
}

/** Paths are relative to `folder`. */
export function createSecretReader(folder: string): SecretReader {
  const warnings = new Set<string>()
  /** A program may ask a person, and scrypt is slow on purpose: neither runs twice for one setting. */
  const kept = new WeakMap<SecretReference, Promise<string>>()

  async function read(reference: SecretReference, setting: string): Promise<string> {
    if ('env' in reference || ('file' in reference && reference.passphrase === undefined)) return readNow(reference, setting)
    const reading = kept.get(reference) ?? readNow(reference, setting)
    kept.set(reference, reading)
    reading.catch(() => kept.delete(reference))
    return reading
  }

  async function readNow(reference: SecretReference, setting: string): Promise<string> {
    const place = `${setting}: ${placeOf(reference, folder)}`
    const value = (await readText(reference, setting, place)).trim()
    if (value === '') throw new Error(`${place} is empty: expected a secret`)
    return value
  }

  async function readText(reference: SecretReference, setting: string, place: string): Promise<string> {
    if ('env' in reference) {
      const value = process.env[reference.env]
      if (value === undefined) throw new Error(`${place} is not set`)
      return value
    }
    if ('command' in reference) return orAfter(place, () => runSecretCommand(reference.command, folder))
    const path = resolve(folder, reference.file)
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new Error(`${place} ${fileFault(cause)}`, { cause })
    })
    if (reference.passphrase !== undefined) {
      const passphrase = await read(reference.passphrase, `${setting}/passphrase`)
      return orAfter(place, () => decryptSecret(text, passphrase))
    }
    if (isEncrypted(text)) throw new Error(`${place} is encrypted: name its passphrase, as {"file": …, "passphrase": {"env": …}}`)
    const exposure = await exposureOf(path)
    if (exposure !== null)
      warnings.add(`${place} can be opened by ${exposure === 'everyone' ? 'every user of this machine' : 'its group'}: chmod 600 ${path}`)
    return text
  }

  return { read, warnings: () => [...warnings] }
}

function placeOf(reference: SecretReference, folder: string): string {
  if ('file' in reference) return `the file ${resolve(folder, reference.file)}`
  return 'env' in reference ? `the environment variable ${reference.env}` : `the program ${reference.command[0]}`
}

async function orAfter<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new Error(`${place} ${error instanceof Error ? error.message : 'cannot be read'}`)
  }
}
