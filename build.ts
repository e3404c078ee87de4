/**
 * `npm run build [-- FOLDER [FILE…]]`: compiles what production and the local stack run to `dist/`, or to FOLDER together with each FILE. It runs without a
 * loader. Without arguments it also builds the SDK and the pages. Types are checked by `npm run check`.
 */
import { readdirSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { buildSdk } from './packages/sdk/build.ts'
import { buildWeb } from './packages/web/build.ts'
import { packageFolders } from './workspaces.ts'

const ROOT = import.meta.dirname
/** Read at run time, not imported. */
const ASSETS = ['packages/party/store/migrations', 'docs/guides', 'docs/sdk.md']
const NOT_COMPILED = [
  /\.(test|fixture|conformance)\.tsx?$|\.d\.ts$/,
  /\/(testing|mutation|node_modules|dist)\//,
  // Bundled for browsers, below.
  /^packages\/(sdk|web)\//,
  // Compilers of contracts. What is deployed is in their artefacts.
  /\/contract\/(?!client\/|artifacts\/)/,
]

const [folder = 'dist', ...more] = process.argv.slice(2)
const out = join(ROOT, folder)
await rm(out, { recursive: true, force: true })
await compile([...sources(), ...more], out)
for (const asset of ASSETS) await cp(join(ROOT, asset), join(out, asset), { recursive: true })
if (folder === 'dist') {
  await buildSdk()
  await buildWeb(join(out, 'packages', 'web'))
}
// The last file: bin/tandem.js compares its time with those of the sources.
await writeFile(join(out, '.built'), '')
process.stdout.write(`built ${out}; bin/tandem.js uses dist/ until a source file is newer\n`)

function sources(): readonly string[] {
  return readdirSync(join(ROOT, 'packages'), { recursive: true, encoding: 'utf8' })
    .map((name) => `packages/${name}`)
    .filter((name) => name.endsWith('.ts') && !NOT_COMPILED.some((pattern) => pattern.test(name)))
}

/** One file for each source: a family loads when it is first used, and stack traces name the sources. */
async function compile(files: readonly string[], outdir: string): Promise<void> {
  const data = new Set<string>()
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    outdir,
    outbase: ROOT,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [linkCompiled(data)],
  })
  for (const file of data) {
    await mkdir(dirname(join(outdir, file)), { recursive: true })
    await cp(join(ROOT, file), join(outdir, file))
  }
}

/** Imports of our files become relative paths to compiled ones. Adds the JSON files among them to `data`. */
function linkCompiled(data: Set<string>): Plugin {
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
        if (source.endsWith('.json')) data.add(relative(ROOT, source))
        const target = relative(dirname(importer), source.replace(/\.ts$/, '.js'))
        return { path: target.startsWith('.') ? target : `./${target}`, external: true }
      })
    },
  }
}
