/**
 * A page as one file with everything inside, for a user to keep. Its policy allows exactly this script and this style, by their hashes, and requests to
 * any node: the user names them when the service is gone.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from './pages.ts'

const ROOT = join(import.meta.dirname, '..')

export async function singleFile({ entry, title }: Page): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: 'copy',
    write: false,
    bundle: true,
    // What is loaded when first used is inside too: a saved file has nothing beside it.
    splitting: false,
    minify: true,
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
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<script type="module">${script}</script>
</body>
</html>
`
}

/** CSP level 3, section 6.7.3.3: of the bytes between the tags. */
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
