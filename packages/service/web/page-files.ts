/** The built pages and the reference on disk come from `npm run build`, or from a build that the first request for a page starts. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import { etagOf } from './kept-documents.ts'

/** `build-pages.ts` writes this as `manifest.json`. */
export type PageManifest = {
  readonly pages: Readonly<Record<string, { readonly html: string; readonly first: readonly string[] }>>
  /** Each file has its sizes in bytes. Beside it are `.gz` and `.br`. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly gzip: number }>>
  readonly reference: Readonly<Record<string, { readonly file: string; readonly placeholders: readonly string[] }>>
}

type Encoding = '' | 'gzip' | 'br'
export type PageFile = { readonly content: Buffer; readonly etag: string }

export type PageFiles = {
  readonly manifest: PageManifest
  /** Resolves to null for a name that was not built. Files stay in memory: all together they are a few megabytes. */
  read(name: string, encoding: Encoding): Promise<PageFile | null>
}

/** In `dist/packages/service/web` this is `dist/pages`. Beside the sources there is no such folder. */
const BUILT = join(import.meta.dirname, '../../../pages')
const CACHE = join(PACKAGE_ROOT, 'node_modules', '.cache', 'tandem-web')
const SOURCES = [
  'packages/web',
  'packages/reference',
  'packages/service',
  'packages/sdk/src',
  'packages/protocol',
  'packages/keys',
  'packages/families',
  'packages/chain-kit',
  'docs/guides',
  'docs/sdk.md',
  'build-pages.ts',
  'package-lock.json',
]
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}
const SUFFIXES = { '': '', gzip: '.gz', br: '.br' } as const

export function typeOf(file: string): string {
  return TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
}

/** `open` builds at most once in a process. After a failure the next call tries again. */
export function createPageFiles(log: Logger): { open(): Promise<PageFiles> } {
  let opening: Promise<PageFiles> | null = null
  return {
    open() {
      opening ??= openFiles().catch((error: unknown) => {
        opening = null
        log.error({ err: error }, 'the pages cannot be built')
        throw new TandemError(
          'chain_unavailable',
          'the pages of this service are not built; its API works. The operator runs: npm run build',
        )
      })
      return opening
    },
  }
}

async function openFiles(): Promise<PageFiles> {
  const folder = existsSync(join(BUILT, 'manifest.json')) ? BUILT : await buildFromSources()
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as PageManifest
  const names = new Set([...Object.keys(manifest.files), ...Object.values(manifest.reference).map(({ file }) => file)])
  const kept = new Map<string, PageFile>()

  async function read(name: string, encoding: Encoding): Promise<PageFile | null> {
    // Only names of the manifest are read, so that no path of a request reaches the disk.
    if (!names.has(name)) return null
    const path = `${name}${SUFFIXES[encoding]}`
    const known = kept.get(path)
    if (known !== undefined) return known
    const content = await readFile(join(folder, path))
    const file = { content, etag: etagOf(content) }
    kept.set(path, file)
    return file
  }
  return { manifest, read }
}

/** The build runs in its own process, because bundling needs much memory and would block the event loop. */
async function buildFromSources(): Promise<string> {
  const script = join(PACKAGE_ROOT, 'build-pages.ts')
  if (!existsSync(script)) throw new Error('the pages were not built: run `npm run build`')
  const folder = join(CACHE, await stampOf(SOURCES))
  if (existsSync(join(folder, 'manifest.json'))) return folder
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, folder], { cwd: PACKAGE_ROOT })
  return folder
}

/** The hash changes with every file that could be part of the pages. */
async function stampOf(places: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const place of places) {
    const path = join(PACKAGE_ROOT, place)
    const isFolder = (await stat(path)).isDirectory()
    const files = isFolder ? await readdir(path, { recursive: true, withFileTypes: true }) : []
    const paths = isFolder ? files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) : [path]
    for (const file of paths.toSorted()) hash.update(`${file} ${(await stat(file)).mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
