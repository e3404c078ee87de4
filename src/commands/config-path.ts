/** Which configuration a command is about, when none is named: that of the local stack's service. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LOCAL_FOLDER } from '../local/local-folder.ts'

export function configPath(given: string | undefined): string {
  if (given !== undefined) return given
  const path = join(LOCAL_FOLDER, 'service.json')
  if (existsSync(path)) return path
  throw new Error(`${relative(process.cwd(), path)} is not there, as no local stack was started yet: name a file with --config`)
}
