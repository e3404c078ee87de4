/** Writes a whole page: header with search, list of pages, content. */
import { escapeHtml } from '@tandem/service/web/search.ts'
import type { LoadedFiles } from '@tandem/web/build.ts'
import { anchorOf, type Page } from '../blocks.ts'
import type { Book } from '../book.ts'
import { QUERY, RESULTS } from '../placeholders.ts'
import { markdownPath } from '../write-markdown.ts'
import { inlineHtml, plainText } from './inline.ts'
import { blocksHtml } from './write-blocks.ts'

export function pageHtml(book: Book, page: Page, files: LoadedFiles): string {
  const content = `<h1>${escapeHtml(page.title)}</h1>\n${blocksHtml(page.blocks)}\n<p class="also"><a href="${markdownPath(page.path)}">This page as Markdown</a></p>`
  return layout(book, { title: page.title, path: page.path, content, summary: plainText(page.summary), query: '', files })
}

/** The service fills in the query and its results: a search also works without scripts. */
export function searchHtml(book: Book, files: LoadedFiles): string {
  const content = `<h1>Search</h1>${RESULTS}`
  return layout(book, { title: 'Search', path: '/docs/search', content, summary: '', query: QUERY, files })
}

export function missingHtml(book: Book, files: LoadedFiles): string {
  const content = '<h1>There is no such page</h1><p>Search above, or go to the <a href="/docs">overview</a>.</p>'
  return layout(book, { title: 'There is no such page', path: '', content, summary: '', query: '', files })
}

type Layout = {
  readonly title: string
  readonly path: string
  readonly summary: string
  readonly content: string
  readonly query: string
  readonly files: LoadedFiles
}

function layout(book: Book, { title, path, summary, content, query, files }: Layout): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(summary)}">
<title>${escapeHtml(title)} · ${escapeHtml(book.title)}</title>
${filesHtml(files)}
</head>
<body class="docs">
<div class="frame">
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead">
<a class="wordmark" href="/">${MARK}${escapeHtml(book.title)}</a>
<button type="button" class="button menu" popovertarget="pages">Contents</button>
<form class="search" role="search" action="/docs/search" method="get"><input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search the reference" aria-label="Search the reference" autocomplete="off" maxlength="100"></form>
<nav aria-label="Pages"><a href="/">Swap</a><a href="/docs" aria-current="page">Docs</a><a href="/rescue">Rescue</a>${THEME_BUTTON}</nav>
</header>
<div class="docs-columns">
<nav id="pages" popover aria-label="Pages of the reference">${book.groups.map((group) => groupHtml(group.title, group.pages, path)).join('')}</nav>
<main id="content" tabindex="-1">
${content}
</main>
</div>
</div>
</body>
</html>
`
}

/** The same drawings as in packages/web/shared/icons.tsx. */
const DRAWN = 'fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"'
const MARK = `<svg viewBox="0 0 28 20" stroke-width="2.25" ${DRAWN}><circle cx="10" cy="10" r="8"/><circle cx="18" cy="10" r="8"/></svg>`
const THEME_BUTTON = `<button type="button" class="button plain theme" hidden><svg class="sun" viewBox="0 0 16 16" stroke-width="1.5" ${DRAWN}><circle cx="8" cy="8" r="3"/><path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1"/></svg><svg class="moon" viewBox="0 0 16 16" stroke-width="1.5" ${DRAWN}><path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z"/></svg></button>`

function filesHtml({ first, theme, icon }: LoadedFiles): string {
  const named = (ending: string) => first.filter((file) => file.endsWith(ending))
  const [entry = '', ...others] = named('.js')
  return [
    `<link rel="icon" href="/${icon}">`,
    `<script src="/${theme}"></script>`,
    ...named('.css').map((file) => `<link rel="stylesheet" href="/${file}">`),
    ...others.map((file) => `<link rel="modulepreload" href="/${file}">`),
    `<script type="module" src="/${entry}"></script>`,
  ].join('\n')
}

function groupHtml(title: string, pages: readonly Page[], here: string): string {
  const links = pages.map((page) => {
    const isHere = page.path === here
    const method = page.method === null ? '' : `<span class="method method-${page.method.toLowerCase()}">${page.method}</span> `
    return `<li><a href="${page.path}"${isHere ? ' aria-current="page"' : ''}>${method}${inlineHtml(page.title)}</a>${isHere ? partsHtml(page) : ''}</li>`
  })
  return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`
}

/** The parts of the page that is shown, if it has several. */
function partsHtml({ blocks, method }: Page): string {
  const parts = blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block.text] : []))
  if (parts.length < 2 || method !== null) return ''
  return `<ul>${parts.map((part) => `<li><a href="#${anchorOf(part)}">${escapeHtml(plainText(part))}</a></li>`).join('')}</ul>`
}
