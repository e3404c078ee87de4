/** All pages of the reference, made from the API document, the recorded examples, the protocol's tables and the guides. */
import { type ApiDocument, listOperations } from '../api/document.ts'
import type { ApiExample } from '../api/examples.ts'
import type { Page, PageGroup } from './blocks.ts'
import { errorsPage } from './errors-page.ts'
import { readGuides } from './guides.ts'
import { lifecyclePage } from './lifecycle-page.ts'
import { operationPage } from './operation-page.ts'
import { overviewPage } from './overview-page.ts'
import { sampleRequest } from './samples/request.ts'
import { samplesOf } from './samples/samples.ts'
import { sdkPage } from './sdk-page.ts'

export type Book = {
  readonly title: string
  readonly summary: string
  readonly groups: readonly PageGroup[]
  readonly pages: readonly Page[]
}

const FIRST_CALL = 'getQuote'

export function writeBook(document: ApiDocument, examples: readonly ApiExample[], appIdHeader: string): Book {
  const operations = listOperations(document)
  const ofOperation = (operationId: string) => examples.filter((example) => example.operationId === operationId)
  const fallback: ApiExample['request'] = { path: examples.find(({ request }) => request.path?.order_id !== undefined)?.request.path ?? {} }
  const endpoints = document.tags.map(({ name, description = '' }): PageGroup => {
    const here = operations.filter(({ operation }) => operation.tags.includes(name))
    const pages = here.map((placed) =>
      operationPage({ placed, examples: ofOperation(placed.operation.operationId), fallback, appIdHeader }),
    )
    return { title: name, summary: description, pages }
  })
  const guides = readGuides()
  const first = operations.find(({ operation }) => operation.operationId === FIRST_CALL)
  const [example] = ofOperation(FIRST_CALL)
  const firstCall = first === undefined || example === undefined ? [] : samplesOf(sampleRequest(first, appIdHeader, example))
  const overview = overviewPage({ document, appIdHeader, firstCall, guides, groups: endpoints })
  const groups = [
    { title: 'Start', summary: '', pages: [overview, lifecyclePage, errorsPage, sdkPage()] },
    { title: 'Guides', summary: '', pages: guides },
    ...endpoints,
  ]
  return { title: document.info.title, summary: document.info.description ?? '', groups, pages: groups.flatMap(({ pages }) => pages) }
}
