/** The folder of the package: the same for the sources and for the build in `dist/`. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const PACKAGE_ROOT = findRoot(import.meta.dirname)

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`)
  return findRoot(parent)
}
