/** Who can open a file, by its mode. */
import { stat } from 'node:fs/promises'

export type Exposure = 'everyone' | 'group'

/** Resolves to null if only its owner can open the file. Windows has no such modes. */
export async function exposureOf(path: string): Promise<Exposure | null> {
  if (process.platform === 'win32') return null
  const { mode } = await stat(path)
  if ((mode & 0o007) !== 0) return 'everyone'
  return (mode & 0o070) !== 0 ? 'group' : null
}
