/** Bundles the SDK for browsers: the core, and one chunk for each family that is loaded when first used. Libraries are inside. */
import { spawnSync } from 'node:child_process'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type BuildResult, build, type Plugin } from 'esbuild'
import { packageFolders } from '../../workspaces.ts'
import { noticesOf } from './notices.ts'

const ROOT = import.meta.dirname
const REPOSITORY = join(ROOT, '..', '..')

/** `outdir`: null keeps the files in memory. Rejects if anything needs a Node built-in. */
export function bundleSdk(outdir: string | null): Promise<BuildResult<{ metafile: true; write: boolean }>> {
  return build({
    absWorkingDir: REPOSITORY,
    entryPoints: { index: join(ROOT, 'src', 'index.ts') },
    outdir: outdir ?? join(ROOT, 'dist'),
    write: outdir !== null,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'silent',
  })
}

/** An error is of the same class, whichever entry it came from. */
const fromBundle: Plugin = {
  name: 'from-bundle',
  setup(build) {
    build.onResolve({ filter: /\/swap\/storage\.ts$/ }, () => ({ path: './index.js', external: true }))
  },
}

/** `@tandem/sdk/node`, a file of its own: the bundle for browsers knows nothing of it. */
export function bundleNode(outdir: string | null): Promise<BuildResult<{ metafile: true; write: boolean }>> {
  return build({
    absWorkingDir: REPOSITORY,
    entryPoints: { node: join(ROOT, 'src', 'node', 'index.ts') },
    outdir: outdir ?? join(ROOT, 'dist'),
    write: outdir !== null,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [fromBundle],
    legalComments: 'none',
    logLevel: 'silent',
  })
}

/** All that the package has: the bundle, the types of our own sources, and the licences of what is inside. */
export async function buildSdk(): Promise<void> {
  const out = join(ROOT, 'dist')
  await rm(out, { recursive: true, force: true })
  const { metafile } = await bundleSdk(out)
  await bundleNode(out)
  await writeFile(join(out, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(metafile, REPOSITORY))
  await copyFile(join(REPOSITORY, 'LICENSE'), join(out, 'LICENSE'))
  const compiler = join(REPOSITORY, 'node_modules', 'typescript-7', 'bin', 'tsc')
  const types = [compiler, '-p', 'tsconfig.sdk.json', '--outDir', join(out, 'types')]
  if (spawnSync(process.execPath, types, { cwd: REPOSITORY, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
    throw new Error('the types of the SDK do not compile')
  await linkTypes(join(out, 'types'))
}

/** The package has the types of our other packages inside: names of packages become paths. */
async function linkTypes(folder: string): Promise<void> {
  const packages = packageFolders(REPOSITORY)
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const text = await readFile(join(folder, name), 'utf8')
    const linked = text.replaceAll(/(?<=['"])(@tandem\/[^/'"]+)\/([^'"]+)(?=['"])/g, (_, scoped: string, path: string) => {
      const target = join(relative(REPOSITORY, packages.get(scoped) ?? ''), path)
      return `./${relative(dirname(name), target)}`
    })
    await writeFile(join(folder, name), linked.replaceAll(/(?<=from '\..*)\.ts(?=')/g, '.js'))
  }
}
