/** The reference of a service with all routes, for tests. */
import type { ApiDocument } from '../api/document.ts'
import { apiExamples } from '../api/examples.ts'
import { inlineSchemas } from '../api/name-schemas.ts'
import type { TestService } from '../testing/service.fixture.ts'
import { type Book, writeBook } from './book.ts'

export async function readBook({ url }: TestService): Promise<Book> {
  const published = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument
  return writeBook(inlineSchemas(published), apiExamples, 'service-app-id')
}
