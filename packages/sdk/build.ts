/** Builds the package: ES modules that are not minified, their source maps, and one file of types for each entry. Libraries stay imports. */
import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type BuildResult, build, type Metafile, type Plugin } from 'esbuild'
import { packageFolders } from '../../workspaces.ts'
import { linkPeers } from './peers.ts'
import { plainTypes } from './plain-types.ts'

const ROOT = import.meta.dirname
const REPOSITORY = join(ROOT, '..', '..')
const DIST = join(ROOT, 'dist')

type Libraries = { readonly dependencies: Readonly<Record<string, string>>; readonly peerDependencies: Readonly<Record<string, string>> }

/** Makes `dist`, and the copy of the licence that goes into the package. */
export async function buildSdk(): Promise<void> {
  await rm(DIST, { recursive: true, force: true })
  await mkdir(DIST)
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Libraries
  const peers = Object.keys(peerDependencies)
  const libraries = [...Object.keys(dependencies), ...peers]
  for (const entry of ['index', 'node'] as const) {
    const { metafile, outputFiles } = await bundle(entry, libraries)
    const files = outputFiles.map(({ path, text }) => ({ name: basename(path), text }))
    const names = readableNames(metafile)
    for (const { name, text } of linkPeers(files, metafile, peers)) await writeFile(join(DIST, names(name)), names(text))
  }
  await buildTypes()
  // A newer file than the build of the command line would make that build stale.
  await cp(join(REPOSITORY, 'LICENSE'), join(ROOT, 'LICENSE'), { preserveTimestamps: true })
}

/** A chunk that is loaded on demand has the name of its source without a hash, such as `evm-find-locks.js`. */
function readableNames({ outputs }: Metafile): (text: string) => string {
  const names = Object.entries(outputs).flatMap(([path, { entryPoint = '' }]) => {
    const [, family = '', part = ''] = /^packages\/families\/(\w+)\/browser\/([\w-]+)\.ts$/.exec(entryPoint) ?? []
    const own = basename(entryPoint, '.ts') === 'browser' ? 'families' : basename(entryPoint, '.ts')
    const name = family === '' ? own : part === 'index' ? family : `${family}-${part}`
    return /-[0-9A-Z]{8}\.js$/.test(path) && entryPoint !== '' ? [[basename(path, '.js'), name] as const] : []
  })
  if (new Set(names.map(([, name]) => name)).size < names.length) throw new Error('two files of the package would have one name')
  return (text) => names.reduce((changed, [hashed, name]) => changed.replaceAll(hashed, name), text)
}

/** Rejects if the entry for browsers needs a Node built-in, or if the bundle would contain a library. */
async function bundle(entry: 'index' | 'node', libraries: readonly string[]): Promise<BuildResult<{ metafile: true; write: false }>> {
  const result = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: { [entry]: join(ROOT, 'src', entry === 'node' ? 'node/file-storage.ts' : 'index.ts') },
    outdir: DIST,
    write: false,
    bundle: true,
    splitting: entry === 'index',
    metafile: true,
    format: 'esm',
    platform: entry === 'node' ? 'node' : 'browser',
    target: 'es2022',
    sourcemap: 'linked',
    plugins: [asImports(libraries), ...(entry === 'node' ? [fromIndex] : [])],
    logLevel: 'silent',
  })
  const inside = Object.keys(result.metafile.inputs).find((input) => input.startsWith('node_modules/'))
  if (inside !== undefined) throw new Error(`${inside} would be copied into the package: list its library in packages/sdk/package.json`)
  return result
}

const asImports = (libraries: readonly string[]): Plugin => ({
  name: 'as-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || !libraries.some((name) => path === name || path.startsWith(`${name}/`))) return null
      return { path, external: true, sideEffects: false }
    })
  },
})

/** Both entries share their chunks, so that an error has the same class in both. */
const fromIndex: Plugin = {
  name: 'from-index',
  setup({ onResolve }) {
    onResolve({ filter: /\/swap\/storage\.ts$/ }, () => ({ path: './index.js', external: true }))
  },
}

async function buildTypes(): Promise<void> {
  const types = join(DIST, 'types')
  const sources = join(types, 'packages', 'sdk', 'src')
  run('typescript-7/bin/tsc', '-p', 'tsconfig.sdk.json', '--outDir', types)
  await linkTypes(types)
  // The first pass joins all files. The second one drops what the plain types do not need.
  const [joined, plain] = [join(types, 'joined.d.ts'), join(types, 'plain.d.ts')]
  const joinTypes = (input: string, output: string) => run('rollup/dist/bin/rollup', input, '--file', output, '--plugin', 'dts', '--silent')
  joinTypes(join(sources, 'index.d.ts'), joined)
  await writeFile(plain, plainTypes(joined))
  joinTypes(plain, join(DIST, 'index.d.ts'))
  const node = await readFile(join(sources, 'node', 'file-storage.d.ts'), 'utf8')
  await writeFile(join(DIST, 'node.d.ts'), node.replace('../swap/storage.js', './index.js'))
  await rm(types, { recursive: true })
}

/** Runs a program of node_modules. */
function run(program: string, ...args: readonly string[]): void {
  const command = [join(REPOSITORY, 'node_modules', program), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: REPOSITORY, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types of the SDK cannot be built:\n${stdout}${stderr}`)
}

/** Names of our packages become paths, so that the types of all of them can be joined. */
async function linkTypes(folder: string): Promise<void> {
  const packages = packageFolders(REPOSITORY)
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const text = await readFile(join(folder, name), 'utf8')
    const linked = text.replaceAll(/(?<=['"])(@tandem\/[^/'"]+)\/([^'"]+)(?=['"])/g, (_, scoped: string, path: string) => {
      const target = join(relative(REPOSITORY, packages.get(scoped) ?? ''), path)
      return `./${relative(dirname(name), target)}`
    })
    await writeFile(join(folder, name), linked.replaceAll(/(?<=(?:from |import\()['"]\..*)\.ts(?=['"])/g, '.js'))
  }
}
