/** Children of benchmarks run compiled JavaScript, as production does: the loader for TypeScript makes every closure slower and start-up longer. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** The cache is below node_modules, so that packages are found and no check reads it. */
const CACHE = join(ROOT, 'node_modules', '.cache')

let folder: string | null = null

/** All sources are compiled once per process. */
export function compiledChild(source: URL): URL {
  folder ??= compile()
  return pathToFileURL(join(folder, relative(ROOT, fileURLToPath(source)).replace(/\.ts$/, '.js')))
}

/** This also runs at exit, except where a signal ends the process, like workers of vitest. */
export function removeCompiledChildren(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
  folder = null
}

function compile(): string {
  mkdirSync(CACHE, { recursive: true })
  const made = mkdtempSync(join(CACHE, 'bench-'))
  process.once('exit', removeCompiledChildren)
  const command = ['--import', 'tsx', 'build.ts', relative(ROOT, made), ...childSources()]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the children of the benchmarks do not compile: ${stdout}${stderr}`)
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }')
  return made
}

function childSources(): readonly string[] {
  const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('-child.ts')).map((name) => `bench/${name}`)
}
