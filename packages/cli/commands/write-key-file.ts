import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file is never overwritten, because it may hold a key that is in use. */
export async function writeKeyFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
}
