/**
 * `npm run build [-- FOLDER [FILE…]]`: compiles what production and the local stack run to `dist/`, or to FOLDER together with each FILE. It runs without a
 * loader. Into `dist/` it also builds the SDK and the pages. With `--production` it leaves the local stack out. Types are checked by `npm run check`.
 */
import { cp, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleLibraries, bundleOf, isBundled } from './build-libraries.ts'
import { buildPages } from './build-pages.ts'
import { buildSdk } from './packages/sdk/build.ts'
import { packageFolders } from './workspaces.ts'

const ROOT = import.meta.dirname
/** Read at run time, not imported. */
const ASSETS = ['packages/party/store/migrations']
/** Everything else is imported by these. */
const ENTRIES = ['packages/cli/cli.ts', 'packages/runtime/workers/worker.ts']

/** Simulators, the embedded database, and the commands that start them. */
const LOCAL = /^packages\/(local\/|families\/(\w+\/local\/|local\.ts)|cli\/commands\/local-stack\.ts)/
/** The only file that may import one of these: it says what is missing. */
const LOADS_LOCAL = 'packages/cli/commands/start.ts'

const args = process.argv.slice(2)
const isProduction = args.includes('--production')
const [folder = 'dist', ...more] = args.filter((arg) => arg !== '--production')
const out = join(ROOT, folder)
await rm(out, { recursive: true, force: true })
await compile([...ENTRIES, ...more], out)
for (const asset of ASSETS) await cp(join(ROOT, asset), join(out, asset), { recursive: true })
if (folder === 'dist') {
  await buildSdk()
  await buildPages(join(out, 'pages'))
}
// The last file: bin/tandem.js compares its time with those of the sources.
await writeFile(join(out, '.built'), '')
process.stdout.write(`built ${out}; bin/tandem.js uses dist/ until a source file is newer\n`)

/** One file for each source: a family loads when it is first used, and stack traces name the sources. */
async function compile(entries: readonly string[], outdir: string): Promise<void> {
  const found = new Set<string>()
  const libraries = new Set<string>()
  for (let next = entries; next.length > 0; ) {
    const imported = new Set<string>()
    await build({
      absWorkingDir: ROOT,
      entryPoints: next.filter((file) => !file.endsWith('.json')),
      outdir,
      outbase: ROOT,
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'warning',
      plugins: [linkCompiled(imported), linkLibraries(libraries)],
    })
    for (const file of next) {
      found.add(file)
      if (file.endsWith('.json')) await cp(join(ROOT, file), join(outdir, file))
    }
    next = [...imported].filter((file) => !found.has(file))
  }
  await bundleLibraries(libraries, ROOT, outdir)
}

/** Imports of our files become relative paths to compiled ones, and are added to `imported`. */
function linkCompiled(imported: Set<string>): Plugin {
  const folders = packageFolders(ROOT)
  const sourceOf = (path: string, importer: string): string => {
    if (path.startsWith('.')) return join(dirname(importer), path)
    const [scope, name, ...rest] = path.split('/')
    return join(folders.get(`${scope}/${name}`) ?? ROOT, ...rest)
  }
  return {
    name: 'link-compiled',
    setup({ onResolve }) {
      onResolve({ filter: /^(\.|@tandem\/)/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return null
        const source = sourceOf(path, importer)
        const name = relative(ROOT, source)
        if (!isProduction || !LOCAL.test(name)) imported.add(name)
        else if (relative(ROOT, importer) !== LOADS_LOCAL) return { errors: [{ text: `a production build has no ${name}` }] }
        const target = relative(dirname(importer), source.replace(/\.ts$/, '.js'))
        return { path: target.startsWith('.') ? target : `./${target}`, external: true }
      })
    },
  }
}

/** Imports of libraries that are bundled become relative paths to the bundles, and are added to `libraries`. */
function linkLibraries(libraries: Set<string>): Plugin {
  return {
    name: 'link-libraries',
    setup({ onResolve }) {
      onResolve({ filter: /^[^.]/ }, ({ path, importer }) => {
        if (!isBundled(path)) return null
        libraries.add(path)
        const target = relative(dirname(importer), join(ROOT, bundleOf(path)))
        return { path: target.startsWith('.') ? target : `./${target}`, external: true }
      })
    },
  }
}
