#!/usr/bin/env node
// Runs the command line: the build in dist/, or the TypeScript sources when there is no build or it is older than they are.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const SOURCES = ['packages']
/** Folders whose files are made from the sources. */
const MADE = /[\\/](dist|node_modules)([\\/]|$)/

if (buildIsFresh()) await import('../dist/packages/cli/cli.js')
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
