/** The configuration file of a command. Default: that of the local stack's service. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LOCAL_FOLDER } from '../local/local-folder.ts'

export function configPath(given: string | undefined): string {
  if (given !== undefined) return given
  const path = join(LOCAL_FOLDER, 'service.json')
  if (existsSync(path)) return path
  throw new Error(`${relative(process.cwd(), path)} does not exist: no local stack was started yet. Name a file with --config`)
}
