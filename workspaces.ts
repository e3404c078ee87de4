/** The packages of this repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder by name, e.g. `@tandem/protocol`. */
export function packageFolders(root: string): ReadonlyMap<string, string> {
  const { workspaces } = readJson(join(root, 'package.json')) as { readonly workspaces: readonly string[] }
  const folders = workspaces.flatMap((pattern) => {
    const parent = join(root, pattern.replace(/\/\*$/, ''))
    return readdirSync(parent).map((name) => join(parent, name))
  })
  return new Map(
    folders
      .filter((folder) => existsSync(join(folder, 'package.json')))
      .map((folder) => [(readJson(join(folder, 'package.json')) as { readonly name: string }).name, folder]),
  )
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
