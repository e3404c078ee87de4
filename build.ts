/**
 * `npm run build [-- FOLDER [TSCONFIG [OPTION…]]]`: compiles the command line with the local chains to `dist/`. Production runs it without a
 * loader. Options go to the compiler. Without arguments it also builds the SDK to `sdk/dist/`, and the pages.
 */
import { spawnSync } from 'node:child_process'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildWeb } from '@tandem/web/build.ts'
import { buildSdk } from './packages/sdk/build.ts'

const ROOT = import.meta.dirname
const [folder = 'dist', config = 'tsconfig.build.json', ...options] = process.argv.slice(2)
const isDefault = process.argv.length <= 2
const DIST = join(ROOT, folder)
const COMPILER = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc')
/** Read at run time, not imported. */
const ASSETS = ['packages/party/store/migrations', 'docs/guides', 'docs/sdk.md']

await rm(DIST, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [COMPILER, '-p', config, '--outDir', DIST, ...options], { cwd: ROOT, stdio: 'inherit' })
if (status === 0) {
  for (const assets of ASSETS) await cp(join(ROOT, assets), join(DIST, assets), { recursive: true })
  if (isDefault) {
    await buildSdk()
    process.stdout.write(`built ${join(ROOT, 'sdk', 'dist')}\n`)
    await buildWeb(join(DIST, 'web'))
  }
  // Last: bin/tandem.js compares its time with the sources.
  await writeFile(join(DIST, '.built'), '')
  process.stdout.write(`built ${DIST}; bin/tandem.js uses dist/ until a source file is newer\n`)
}
process.exitCode = status ?? 1
