/** The reference as it is served. */
import { TandemError } from '@tandem/protocol/error.ts'
import type { ApiDocument } from '../api/document.ts'
import type { ApiExample } from '../api/examples.ts'
import { anchorOf, type Block, type Field, type Page } from './blocks.ts'
import { type Book, writeBook } from './book.ts'
import { plainText } from './html/inline.ts'
import { missingHtml, type PageFiles, pageHtml, searchHtml } from './html/page.ts'
import { llmsFull, llmsList, markdownPath } from './llms.ts'
import { APP_ID, ORIGIN } from './samples/request.ts'
import { type SearchEntry, search } from './search.ts'
import { markdownOf } from './write-markdown.ts'

const firstText = (block: Block | undefined): string => (block?.kind === 'paragraph' ? block.text : '')

export type ReferenceInput = {
  readonly document: ApiDocument
  readonly examples: readonly ApiExample[]
  readonly appIdHeader: string
}

/** Who reads: the service as they call it, and an app id that works there, if there is one for everybody. */
export type Reader = { readonly origin: string; readonly appId: string | null }

export type Reference = {
  readonly entries: readonly SearchEntry[]
  hasPage(path: string): boolean
  /** Throws if there is no such page. */
  page(path: string, reader: Reader, files: PageFiles): string
  missing(reader: Reader, files: PageFiles): string
  hasMarkdown(path: string): boolean
  markdown(path: string, reader: Reader): string
  search(query: string, reader: Reader, files: PageFiles): string
  llms(reader: Reader): string
  llmsFull(reader: Reader): string
}

const MISSING_APP_ID = 'YOUR_APP_ID'

export function createReference({ document, examples, appIdHeader }: ReferenceInput): Reference {
  const book: Book = writeBook(document, examples, appIdHeader)
  const entries = searchIndex(book)
  const pages = new Map(book.pages.map((page) => [page.path, page]))
  const markdowns = new Map(book.pages.map((page) => [markdownPath(page.path), page]))

  return {
    entries,
    hasPage: (path) => pages.has(path),
    page: (path, reader, files) => addressed(pageHtml(book, existing(pages.get(path), path), files), reader),
    missing: (reader, files) => addressed(missingHtml(book, files), reader),
    hasMarkdown: (path) => markdowns.has(path),
    markdown: (path, reader) => addressed(markdownOf(existing(markdowns.get(path), path)), reader),
    search: (query, reader, files) => addressed(searchHtml(book, query, search(entries, query), files), reader),
    llms: (reader) => addressed(llmsList(book, ORIGIN), reader),
    llmsFull: (reader) => addressed(llmsFull(book), reader),
  }
}

function existing(page: Page | undefined, path: string): Page {
  if (page === undefined) throw new Error(`the reference has no page ${path}`)
  return page
}

/** A host is a name or an address with a port (RFC 3986 section 3.2.2): nothing in it can end an attribute or a shell text. */
const HOST = /^[A-Za-z0-9._:[\]-]{1,255}$/

export function originOf(publicUrl: string | null, protocol: string, host: string): string {
  if (publicUrl !== null) return publicUrl
  if (!HOST.test(host)) throw new TandemError('bad_request', 'the header Host is not the name of a host')
  return `${protocol}://${host}`
}

function addressed(text: string, { origin, appId }: Reader): string {
  return text.replaceAll(ORIGIN, origin).replaceAll(APP_ID, appId ?? MISSING_APP_ID)
}

/** What can be found: pages, their parts, and the fields of endpoints. */
function searchIndex({ groups }: Book): readonly SearchEntry[] {
  return groups.flatMap((group) => group.pages.flatMap((page) => entriesOf(page, group.title)))
}

function entriesOf(page: Page, group: string): readonly SearchEntry[] {
  const { title, path, summary, blocks } = page
  const fields = new Map(blocks.flatMap(fieldsIn).map((field) => [field.name, field]))
  return [
    { title, path, text: `${group} · ${plainText(summary)}`, rank: 0 },
    ...blocks.flatMap((block, index) =>
      block.kind === 'heading'
        ? [
            {
              title: plainText(block.text),
              path: `${path}#${anchorOf(block.text)}`,
              text: `${title} · ${plainText(firstText(blocks[index + 1]))}`,
              rank: 1,
            },
          ]
        : [],
    ),
    ...[...fields.values()].map(({ name, text }) => ({
      title: name,
      path: `${path}#fields`,
      text: `${title} · ${plainText(text)}`,
      rank: 2,
    })),
  ]
}

function fieldsIn(block: Block): readonly Field[] {
  const all = (fields: readonly Field[]): readonly Field[] => fields.flatMap((field) => [field, ...all(field.inner)])
  return block.kind === 'fields' ? all(block.fields) : []
}
