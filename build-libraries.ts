/**
 * Bundles the libraries that are many small modules, so that a process reads a few files of them and not a thousand: a command then needs about
 * half of the processor time. All other libraries stay in node_modules.
 */
import { join } from 'node:path'
import { build } from 'esbuild'

/** They read no files of their own. */
const LIBRARIES = ['@mysten/sui', '@solana/kit', 'kysely', 'typebox', 'viem']
const FOLDER = 'libraries'

/** Modules in CommonJS, which are bundled with these, load parts of Node by `require`. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

const nameOf = (specifier: string): string => specifier.replaceAll('/', '.')

export function isBundled(specifier: string): boolean {
  return LIBRARIES.some((library) => specifier === library || specifier.startsWith(`${library}/`))
}

/** The path in the folder of the build. */
export function bundleOf(specifier: string): string {
  return join(FOLDER, `${nameOf(specifier)}.js`)
}

/** Shared parts get files of their own, so that no module exists twice. */
export async function bundleLibraries(specifiers: Iterable<string>, root: string, out: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([...specifiers].map((specifier) => [nameOf(specifier), specifier])),
    outdir: join(out, FOLDER),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: { js: REQUIRE },
    logLevel: 'warning',
  })
}
