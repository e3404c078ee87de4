/** A command of the operator is paid for with this private key. */
import { readFile } from 'node:fs/promises'
import type { Curve, Key } from '@tandem/keys/key.ts'
import { createKey } from '@tandem/keys/keyring.ts'
import { fileFault } from '@tandem/party/config/problem-texts.ts'

export type KeyOptions = { readonly keyFile?: string; readonly keyEnv?: string }

/** Errors must not quote the key. */
export async function readKey({ keyFile, keyEnv }: KeyOptions, curve: Curve): Promise<Key> {
  if ((keyFile === undefined) === (keyEnv === undefined)) throw new Error('say which key pays: --key-file <file> or --key-env <variable>')
  const place = keyFile === undefined ? `--key-env: the environment variable ${keyEnv}` : `--key-file: ${keyFile}`
  const key = keyFile === undefined ? process.env[keyEnv ?? ''] : await readKeyFile(keyFile, place)
  if (key === undefined || key.trim() === '') throw new Error(`${place} holds no key`)
  try {
    return createKey(curve, key.trim())
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : 'holds no key'}`)
  }
}

async function readKeyFile(path: string, place: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`${place} ${fileFault(cause)}`, { cause })
  })
}
