/** The configuration file of a command. Default: that of the local stack. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LOCAL_FOLDER } from '@tandem/local/local-folder.ts'

export const configPath = (given: string | undefined): string => pathOf(given, 'service.json')
export const solverConfigPath = (given: string | undefined): string => pathOf(given, 'solver.json')

function pathOf(given: string | undefined, name: string): string {
  if (given !== undefined) return given
  const path = join(LOCAL_FOLDER, name)
  if (existsSync(path)) return path
  throw new Error(`${relative(process.cwd(), path)} does not exist: no local stack was started yet. Name a file with --config`)
}
