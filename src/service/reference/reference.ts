/** The reference as it is served: pages are written when first asked for, and kept. */
import { TandemError } from '../../protocol/error.ts'
import type { ApiDocument } from '../api/document.ts'
import type { ApiExample } from '../api/examples.ts'
import { type Book, writeBook } from './book.ts'
import { missingHtml, type PageFiles, pageHtml, searchHtml } from './html/page.ts'
import { llmsFull, llmsList, markdownPath } from './llms.ts'
import { APP_ID, ORIGIN } from './samples/request.ts'
import { type SearchEntry, search } from './search.ts'
import { searchIndex } from './search-index.ts'
import { markdownOf } from './write-markdown.ts'

export type ReferenceInput = {
  readonly document: ApiDocument
  readonly examples: readonly ApiExample[]
  readonly appIdHeader: string
}

/** Who reads: the service as they call it, and an app id that works there, if there is one for everybody. */
export type Reader = { readonly origin: string; readonly appId: string | null }

export type Reference = {
  readonly entries: readonly SearchEntry[]
  /** Null: there is no such page. */
  page(path: string, reader: Reader, files: PageFiles): string | null
  missing(reader: Reader, files: PageFiles): string
  markdown(path: string, reader: Reader): string | null
  search(query: string, reader: Reader, files: PageFiles): string
  llms(reader: Reader): string
  llmsFull(reader: Reader): string
}

const MISSING_APP_ID = 'YOUR_APP_ID'

export function createReference({ document, examples, appIdHeader }: ReferenceInput): Reference {
  const book: Book = writeBook(document, examples, appIdHeader)
  const entries = searchIndex(book)
  const kept = new Map<string, string>()

  /** There are as many keys as pages, so this does not grow. */
  function keep(key: string, make: () => string): string {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make()
    kept.set(key, made)
    return made
  }

  return {
    entries,
    page(path, reader, files) {
      const page = book.pages.find((one) => one.path === path)
      return page === undefined
        ? null
        : addressed(
            keep(`${files === null ? 'plain' : 'full'} ${path}`, () => pageHtml(book, page, files)),
            reader,
          )
    },
    missing: (reader, files) => addressed(missingHtml(book, files), reader),
    markdown(path, reader) {
      const page = book.pages.find((one) => markdownPath(one.path) === path)
      return page === undefined
        ? null
        : addressed(
            keep(path, () => markdownOf(page)),
            reader,
          )
    },
    search: (query, reader, files) => addressed(searchHtml(book, query, search(entries, query), files), reader),
    llms: (reader) =>
      addressed(
        keep('llms', () => llmsList(book, ORIGIN)),
        reader,
      ),
    llmsFull: (reader) =>
      addressed(
        keep('llms-full', () => llmsFull(book)),
        reader,
      ),
  }
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
