/** The built pages on disk: those of `npm run build`, or of a build that the first request for a page starts. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import { etagOf } from './kept-documents.ts'

export type WebManifest = {
  readonly pages: Readonly<Record<string, { readonly html: string; readonly first: readonly string[] }>>
  /** What pages load that the service writes itself. */
  readonly scripts: Readonly<
    Record<string, { readonly first: readonly string[]; readonly theme: string; readonly icon: string } | undefined>
  >
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly gzip: number }>>
}

type Encoding = '' | 'gzip' | 'br'
export type PageFile = { readonly content: Buffer; readonly etag: string }

export type PageFiles = {
  readonly manifest: WebManifest
  /** Null for a name that was not built. `encoding`: of the file beside it. Read once, then kept: all files together are a few megabytes. */
  read(name: string, encoding: Encoding): Promise<PageFile | null>
}

/** In `dist/packages/service/web` this is `dist/packages/web`; in the sources it has no manifest. */
const BUILT = join(import.meta.dirname, '../../web')
const CACHE = join(PACKAGE_ROOT, 'node_modules', '.cache', 'tandem-web')
const SOURCES = [
  'packages/web',
  'packages/service/reference/search.ts',
  'packages/sdk/src',
  'packages/sdk/notices.ts',
  'packages/protocol',
  'packages/keys',
  'packages/families',
  'packages/chain-kit',
  'package-lock.json',
]
const SUFFIXES = { '': '', gzip: '.gz', br: '.br' } as const

/** `open` builds at most once in a process; after a failure the next call tries again. */
export function createPageFiles(): { open(): Promise<PageFiles> } {
  let opening: Promise<PageFiles> | null = null
  return {
    open() {
      opening ??= openFiles().catch((error: unknown) => {
        opening = null
        throw error
      })
      return opening
    },
  }
}

async function openFiles(): Promise<PageFiles> {
  const folder = existsSync(join(BUILT, 'manifest.json')) ? BUILT : await buildFromSources()
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as WebManifest
  const names = new Set(Object.keys(manifest.files))
  const kept = new Map<string, PageFile>()

  async function read(name: string, encoding: Encoding): Promise<PageFile | null> {
    // Only names of the manifest: no path of a request reaches the disk.
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

/** In a process of its own: bundling needs much memory, and the event loop belongs to the swaps. */
async function buildFromSources(): Promise<string> {
  const script = join(PACKAGE_ROOT, 'packages', 'web', 'build.ts')
  if (!existsSync(script)) throw new Error('the pages were not built: run `npm run build`')
  const folder = join(CACHE, await stampOf(SOURCES))
  if (existsSync(join(folder, 'manifest.json'))) return folder
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, folder], { cwd: PACKAGE_ROOT })
  return folder
}

/** Changes with every file that could be part of the pages. */
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
