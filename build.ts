/** `npm run build [-- FOLDER [TSCONFIG]]`: compiles the command line with the local chains to `dist/`. Production runs it without a loader. */
import { spawnSync } from 'node:child_process'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = import.meta.dirname
const DIST = join(ROOT, process.argv[2] ?? 'dist')
const CONFIG = process.argv[3] ?? 'tsconfig.build.json'
const COMPILER = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc')
/** Read at run time, not imported. */
const ASSETS = ['src/store/migrations']

await rm(DIST, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [COMPILER, '-p', CONFIG, '--outDir', DIST], { cwd: ROOT, stdio: 'inherit' })
if (status === 0) {
  for (const folder of ASSETS) await cp(join(ROOT, folder), join(DIST, folder), { recursive: true })
  // Last: bin/tandem.js compares its time with the sources.
  await writeFile(join(DIST, '.built'), '')
  process.stdout.write(`built ${DIST}; bin/tandem.js uses dist/ until a source file is newer\n`)
}
process.exitCode = status ?? 1
