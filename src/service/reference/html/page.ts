/** A whole page: header with search, list of pages, content. */
import { anchorOf, type Page } from '../blocks.ts'
import type { Book } from '../book.ts'
import { markdownPath } from '../llms.ts'
import type { SearchEntry } from '../search.ts'
import { escapeHtml, inlineHtml, plainText } from './inline.ts'
import { blocksHtml } from './write-blocks.ts'

/** Of the script and the style, as the build named them. */
export type PageFiles = { readonly script: string | null; readonly style: string | null }

export function pageHtml(book: Book, page: Page, files: PageFiles): string {
  const content = `<h1>${escapeHtml(page.title)}</h1>\n${blocksHtml(page.blocks)}\n<p class="also"><a href="${markdownPath(page.path)}">This page as Markdown</a></p>`
  return layout(book, { title: page.title, path: page.path, content, summary: plainText(page.summary), query: '', files })
}

export function searchHtml(book: Book, query: string, found: readonly SearchEntry[], files: PageFiles): string {
  const results = found.map(
    ({ title, path, text }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(title)}</a><br><small>${escapeHtml(text)}</small></li>`,
  )
  const nothing = query === '' ? '' : '<p>Nothing was found. Try fewer words, or the name of a field.</p>'
  const content = `<h1>Search</h1>${results.length === 0 ? nothing : `<ol class="results">${results.join('')}</ol>`}`
  return layout(book, { title: 'Search', path: '/docs/search', content, summary: '', query, files })
}

export function missingHtml(book: Book, files: PageFiles): string {
  const content = '<h1>There is no such page</h1><p>Search above, or go to the <a href="/docs">overview</a>.</p>'
  return layout(book, { title: 'There is no such page', path: '', content, summary: '', query: '', files })
}

type Layout = {
  readonly title: string
  readonly path: string
  readonly summary: string
  readonly content: string
  readonly query: string
  readonly files: PageFiles
}

function layout(book: Book, { title, path, summary, content, query, files }: Layout): string {
  const { script, style } = files
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(summary)}">
<title>${escapeHtml(title)} · ${escapeHtml(book.title)}</title>
${style === null ? '' : `<link rel="stylesheet" href="${escapeHtml(style)}">`}
${script === null ? '' : `<script type="module" src="${escapeHtml(script)}"></script>`}
</head>
<body class="docs">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/docs">${escapeHtml(book.title)}</a>
<button type="button" class="menu" popovertarget="pages">Contents</button>
<form class="search" role="search" action="/docs/search" method="get"><input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search the reference" aria-label="Search the reference" autocomplete="off" maxlength="100"></form>
</header>
<nav id="pages" popover aria-label="Pages of the reference">${book.groups.map((group) => groupHtml(group.title, group.pages, path)).join('')}</nav>
<main id="content" tabindex="-1">
${content}
</main>
</body>
</html>
`
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
