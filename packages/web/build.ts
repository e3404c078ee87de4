/**
 * Bundles the pages for browsers: one entry for each page, code that they share in common chunks, and a chunk for each chain family that is loaded when
 * it is first used. Names carry a hash of the content, so they may be cached for ever.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { PageManifest } from '@tandem/service/web/page-files.ts'
import { build, type Metafile } from 'esbuild'
import { noticesOf } from './notices.ts'
import { copies, type Page, pages, scripts } from './pages.ts'
import { singleFile } from './single-file.ts'

const ROOT = join(import.meta.dirname, '../..')
const THEME = 'packages/web/shared/theme-first.ts'
const MARK = 'packages/web/shared/mark.svg'
/** The notices of the libraries inside, which must go with every copy. */
const LICENCES = 'licences.txt'

export type BuiltPages = Pick<PageManifest, 'pages' | 'files'> & {
  /** The files that each page loads whose document another package writes. */
  readonly scripts: Readonly<Record<keyof typeof scripts, LoadedFiles>>
}

export type LoadedFiles = {
  readonly first: readonly string[]
  /** Sets the chosen theme before anything is drawn. */
  readonly theme: string
  readonly icon: string
}

/** Rejects if a page needs a Node built-in. */
export const bundlePages = () =>
  build({
    absWorkingDir: ROOT,
    entryPoints: [
      ...Object.entries(pages).map(([name, { entry }]) => ({ in: entry, out: name })),
      ...Object.entries(scripts).map(([name, entry]) => ({ in: entry, out: name })),
      { in: THEME, out: 'theme' },
      { in: MARK, out: 'mark' },
    ],
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    logOverride: { 'ignored-bare-import': 'silent' },
  })

/** Writes the files of all pages into the folder. */
export async function buildWeb(folder: string): Promise<BuiltPages> {
  const { metafile, outputFiles } = await bundlePages()
  await mkdir(join(folder, 'assets'), { recursive: true })
  const files: Record<string, { bytes: number; gzip: number }> = {}
  const write = async (name: string, content: Uint8Array) => {
    const [small, smaller] = [await compress.gzip(content), await compress.brotli(content)]
    await writeFile(join(folder, name), content)
    await writeFile(join(folder, `${name}.gz`), small)
    await writeFile(join(folder, `${name}.br`), smaller)
    files[name] = { bytes: content.length, gzip: small.length }
  }
  await Promise.all(outputFiles.map(({ path, contents }) => write(`assets/${basename(path)}`, contents)))
  const documents = Object.entries(pages).map(async ([name, page]) => {
    const html = `${name}.html`
    const first = firstLoad(metafile, page.entry)
    await write(html, Buffer.from(documentOf(page, { first, theme: outputOf(metafile, THEME), mark: outputOf(metafile, MARK) })))
    return [name, { html, first: [html, outputOf(metafile, THEME), ...first] }] as const
  })
  await write(LICENCES, Buffer.from(await noticesOf(metafile, ROOT)))
  await Promise.all(copies.map(async (name) => write(`${name}-copy.html`, Buffer.from(await singleFile(pages[name])))))
  const [theme, icon] = [outputOf(metafile, THEME), outputOf(metafile, MARK)]
  const docs = { first: firstLoad(metafile, scripts.docs), theme, icon }
  return { pages: Object.fromEntries(await Promise.all(documents)), scripts: { docs }, files }
}

const compress = {
  gzip: (content: Uint8Array) => promisify(gzip)(content, { level: 9 }),
  brotli: (content: Uint8Array) =>
    // The last step of quality takes ten times the time, for a hundredth of the size.
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
}

function outputOf({ outputs }: Metafile, entry: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint, inputs }]) => entryPoint === entry || Object.keys(inputs)[0] === entry)
  if (found === undefined) throw new Error(`${entry} was not built`)
  return found[0]
}

/** The entry, what it imports at once, and its style. */
function firstLoad({ outputs }: Metafile, entry: string): readonly string[] {
  const files = new Set<string>()
  const add = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    const { imports = [], cssBundle } = outputs[file] ?? {}
    if (cssBundle !== undefined) files.add(cssBundle)
    for (const { path, kind } of imports) if (kind === 'import-statement') add(path)
  }
  add(outputOf({ outputs, inputs: {} }, entry))
  return [...files]
}

type Linked = { readonly first: readonly string[]; readonly theme: string; readonly mark: string }

const PLAIN = 'This page needs JavaScript. The API works without it: <a href="/docs">/docs</a>'

function documentOf({ title, description, plain = PLAIN }: Page, { first, theme, mark }: Linked): string {
  const [entry = '', ...others] = first.filter((file) => file.endsWith('.js'))
  const styles = first.filter((file) => file.endsWith('.css')).map((file) => `<link rel="stylesheet" href="/${file}">`)
  const preloads = others.map((file) => `<link rel="modulepreload" href="/${file}">`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="/${mark}">
<script src="/${theme}"></script>
${[...styles, ...preloads].join('\n')}
<script type="module" src="/${entry}"></script>
</head>
<body>
<div id="page"></div>
<noscript>${plain}</noscript>
</body>
</html>
`
}
