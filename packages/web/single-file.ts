/**
 * A page as one file with everything inside, for a user to keep. Its policy allows exactly this script and this style, by their hashes, and requests to
 * any node: the user names them when the service is gone.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'
import { noticesOf } from './notices.ts'
import type { Page } from './pages.ts'

const ROOT = join(import.meta.dirname, '../..')

export const bundleCopy = ({ entry }: Page) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: 'copy',
    write: false,
    bundle: true,
    // Code that is loaded on demand is inside too: a saved file has no others beside it.
    splitting: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'silent',
    logOverride: { 'ignored-bare-import': 'silent' },
  })

export async function singleFile(page: Page): Promise<string> {
  const { metafile, outputFiles } = await bundleCopy(page)
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  const [script, style] = [textOf('.js'), textOf('.css')]
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; connect-src http: https: ws: wss:; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.title}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<script type="module">${script}</script>
<footer class="frame"><details class="colophon licences">
<summary>Licences of the libraries inside</summary>
<pre>${escapeText(await noticesOf(metafile, ROOT))}</pre>
</details></footer>
</body>
</html>
`
}

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** CSP level 3, section 6.7.3.3: the hash covers the bytes between the tags. */
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
