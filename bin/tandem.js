#!/usr/bin/env node
// Runs the command line: the build in dist/, or the TypeScript sources when there is no build or it is older than they are. TANDEM_BUILD names the
// folder of another build, which is used whatever its age.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const SOURCES = ['packages']
/** Folders whose files are made from the sources. */
const MADE = /[\\/](dist|node_modules)([\\/]|$)/

const build = process.env.TANDEM_BUILD ?? (buildIsFresh() ? join(root, 'dist') : null)
if (build !== null) await import(pathToFileURL(join(build, 'packages/cli/cli.js')).href)
else {
  const { register } = await import('tsx/esm/api')
  register()
  await import('@tandem/cli/cli.ts')
}

function buildIsFresh() {
  const stamp = join(root, 'dist', '.built')
  if (!existsSync(stamp)) return false
  const builtAt = statSync(stamp).mtimeMs
  const isFresh = SOURCES.every((folder) => !hasNewer(join(root, folder), builtAt))
  if (!isFresh) process.stderr.write('dist/ is older than the sources and is not used. Run: npm run build\n')
  return isFresh
}

/** Sources that are absent are not newer: an image may hold only the build. */
function hasNewer(folder, builtAt) {
  if (!existsSync(folder)) return false
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && !MADE.test(entry.parentPath) && statSync(join(entry.parentPath, entry.name)).mtimeMs > builtAt,
  )
}
