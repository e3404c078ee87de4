/** Tests that the pages of the reference are complete, linked and load nothing from elsewhere. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ErrorCode, errorStatus } from '@tandem/protocol/error.ts'
import { orderStatuses } from '@tandem/protocol/state.ts'
import * as sdk from '@tandem/sdk'
import { sharedService } from '@tandem/service/testing/service.fixture.ts'
import { beforeAll, expect, test } from 'vitest'
import { anchorOf } from './blocks.ts'
import { type Book, writeBook } from './book.ts'
import { type ApiDocument, listOperations } from './document/document.ts'
import { writeApiDocument } from './document/openapi.ts'
import { className } from './errors-page.ts'
import { lifecycleEdges, lifecyclePictures, waysOut } from './lifecycle-picture.ts'

const service = sharedService({ environment: 'local' })
let document: ApiDocument
let book: Book
beforeAll(async () => {
  document = await writeApiDocument()
  book = writeBook(document)
})

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.url}${path}`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('every endpoint has a page, in its group, as HTML and as Markdown', async () => {
  for (const { path, method, operation } of listOperations(document)) {
    const html = await get(`/docs/api/${operation.operationId}`)
    expect({ status: html.status, type: html.headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(html.text).toContain(`<code>${path}</code>`)
    const markdown = await get(`/docs/api/${operation.operationId}.md`)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(markdown.text).toContain(`\`${method} ${path}\``)
    expect(book.groups.find(({ title }) => title === operation.tags[0])?.pages.map((page) => page.path)).toContain(
      `/docs/api/${operation.operationId}`,
    )
  }
})

test('every field and parameter of the document is on the page of its endpoint', async () => {
  for (const { operation } of listOperations(document)) {
    const { text } = await get(`/docs/api/${operation.operationId}`)
    for (const { name } of operation.parameters ?? []) expect(text, operation.operationId).toContain(`<code class="name">${name}</code>`)
  }
  const order = (await get('/docs/api/getOrder')).text
  for (const name of ['source_swap', 'redeem_tx_hash', 'next_action', 'required_confirmations'])
    expect(order).toContain(`<code class="name">${name}</code>`)
})

test('the first paragraph says how to authenticate', async () => {
  const first = /<p>(.*?)<\/p>/s.exec((await get('/docs')).text)?.[1]
  expect(first).toContain('app id')
  expect(first).toContain('<code>service-app-id</code>')
  expect(first).toContain('tandem apps create')
})

test('no page loads or runs anything of another site, and none has inline scripts or styles', async () => {
  for (const { path } of book.pages) {
    const { headers, text } = await get(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(text, path).not.toMatch(/<script(?![^>]* src="\/)|<style|\sstyle=|\son[a-z]+=|<(img|iframe|link|script)[^>]*(src|href)="(?!\/)/)
  }
})

test('every link within the site leads to a page and a part of it', async () => {
  const pages = new Map(await Promise.all(book.pages.map(async ({ path }) => [path, (await get(path)).text] as const)))
  const others = new Set(['/openapi.json', '/llms.txt', '/llms-full.txt', '/docs/search', '/', '/rescue'])
  const broken: string[] = []
  for (const [path, text] of pages) {
    for (const [, link = ''] of text.matchAll(/href="([^"]+)"/g)) {
      const [target = '', anchor] = link.split('#')
      if (/^https?:/.test(link) || others.has(target) || target.startsWith('/assets/')) continue
      const page = pages.get(target === '' ? path : target)
      const isMarkdown = target.endsWith('.md') && (await get(target)).status === 200
      if (page === undefined ? !isMarkdown : anchor !== undefined && !page.includes(`id="${anchor}"`)) broken.push(`${path}: ${link}`)
    }
  }
  expect(broken).toEqual([])
  expect((await get('/docs/api/nothing')).status).toBe(404)
  expect((await get('/docs/guides/..%2f..%2fpackage.json')).status).toBe(404)
})

test('the SDK has a page, with all of its parts and no link to a file of the repository', async () => {
  const { status, text } = await get('/docs/sdk')
  expect(status).toBe(200)
  const source = await readFile(join(import.meta.dirname, '../../docs/sdk.md'), 'utf8')
  const parts = [...source.matchAll(/^##+ (.+)$/gm)].map(([, title = '']) => title)
  expect(parts).toContain('Wallets')
  for (const title of parts) expect(text).toContain(`id="${anchorOf(title)}"`)
  const main = text.slice(text.indexOf('<main'))
  expect([...main.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link).filter((link) => !/^(#|\/|https?:)/.test(link))).toEqual([])
  expect((await get('/docs')).text).toContain('href="/docs/sdk"')
})

test('ids on a page differ', async () => {
  for (const { path } of book.pages) {
    const ids = [...(await get(path)).text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      path,
    ).toEqual([])
  }
})

test('search finds endpoints, fields, errors and guides, without scripts too', async () => {
  const results = async (query: string) => {
    const text = (await get(`/docs/search?q=${query}`)).text
    return [...text.slice(text.indexOf('<main')).matchAll(/<a href="([^"]+)">/g)].map(([, path]) => path)
  }
  expect(await results('quote')).toContain('/docs/api/getQuote')
  expect((await results('price_moved'))[0]).toBe('/docs/errors#price_moved')
  expect(await results('affiliate_fee')).toContain('/docs/api/getQuote#fields')
  expect((await results('webhooks'))[0]).toBe('/docs/guides/webhooks')
  expect(await results('nosuchword')).toEqual([])
  const hostile = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(hostile.text).not.toContain('<script>')
})

test('llms.txt lists every page, and llms-full.txt contains them', async () => {
  const [list, full] = [await get('/llms.txt'), await get('/llms-full.txt')]
  for (const { path, title } of book.pages) {
    const link = path === '/docs' ? '/docs/index.md' : `${path}.md`
    expect(list.text).toContain(`(${service.url}${link})`)
    expect((await get(link)).status).toBe(200)
    expect(full.text).toContain(`# ${title}\n`)
  }
  expect(full.text).not.toContain('{{')
})

test('samples name the service that the reader called, and no text of a forged Host header', async () => {
  expect((await get('/docs')).text).toContain(`${service.url}/v2/quote`)
  const { status } = await service.raw('/docs', { host: 'a"><script>' }).then(
    ({ status: code }) => ({ status: code }),
    () => ({ status: 400 }),
  )
  expect(status).toBe(400)
})

test('every error code has advice, its own part of the page and a class in the SDK', async () => {
  const { text } = await get('/docs/errors')
  for (const code of Object.keys(errorStatus) as ErrorCode[]) {
    expect(text).toContain(`id="${code}"`)
    expect(text).toContain(`HTTP ${errorStatus[code]} · <code>${className(code)}</code>`)
    expect(Object.keys(sdk)).toContain(className(code))
  }
})

test('the picture shows every status, and only changes that the protocol makes', async () => {
  const drawings = lifecyclePictures().split('</svg>').slice(0, -1)
  expect(drawings).toHaveLength(2)
  for (const svg of drawings) for (const status of orderStatuses) expect(svg).toContain(`>${status}</text>`)
  const page = await readFile(join(import.meta.dirname, '../../docs/lifecycle.md'), 'utf8')
  const drawn = [...lifecycleEdges, ...waysOut.map((from) => ({ from, to: 'awaiting_refund' }))]
  for (const { from, to } of drawn) expect(page).toContain(`  ${from} --> ${to}: `)
})
