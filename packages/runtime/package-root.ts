/** The root is the folder of the repository or of an installation. It is the same for the sources and for the build in `dist/`. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const PACKAGE_ROOT = findRoot(import.meta.dirname)

function findRoot(folder: string): string {
  if (isRoot(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error(`no package.json of Tandem above ${import.meta.dirname}`)
  return findRoot(parent)
}

/** The name is checked, because the packages below the root have a package.json too. */
function isRoot(file: string): boolean {
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'tandem'
}
