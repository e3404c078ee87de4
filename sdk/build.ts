/** Bundles the SDK for browsers: the core, and one chunk for each family that is loaded when first used. Libraries are inside. */
import { join } from 'node:path'
import { type BuildResult, build } from 'esbuild'

const ROOT = import.meta.dirname

/** `outdir`: null keeps the files in memory. Rejects if anything needs a Node built-in. */
export function bundleSdk(outdir: string | null): Promise<BuildResult<{ metafile: true; write: boolean }>> {
  return build({
    absWorkingDir: join(ROOT, '..'),
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
