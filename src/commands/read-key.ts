/** The private key that pays for a command of the operator. */
import { readFile } from 'node:fs/promises'
import type { Curve, Key } from '../keys/key.ts'
import { createKey } from '../keys/keyring.ts'

export type KeyOptions = { readonly keyFile?: string; readonly keyEnv?: string }

/** Errors must not quote the key. */
export async function readKey({ keyFile, keyEnv }: KeyOptions, curve: Curve): Promise<Key> {
  if ((keyFile === undefined) === (keyEnv === undefined)) throw new Error('say which key pays: --key-file <file> or --key-env <variable>')
  const key = keyFile === undefined ? process.env[keyEnv ?? ''] : await readFile(keyFile, 'utf8')
  if (key === undefined || key.trim() === '') throw new Error(`${keyFile ?? `the environment variable ${keyEnv}`} holds no key`)
  return createKey(curve, key.trim())
}
