/** All pages of the reference, made from the API document, the recorded examples, the protocol's tables and the guides. */

import { readFileSync } from 'node:fs'
import { playbook } from '@tandem/protocol/playbook.ts'
import { orderStatuses, statusTable } from '@tandem/protocol/state.ts'
import type { Page, PageGroup } from './blocks.ts'
import { type ApiDocument, listOperations } from './document/document.ts'
import { type ApiExample, apiExamples } from './document/examples.ts'
import { errorsPage } from './errors-page.ts'
import { lifecycleEdges, lifecyclePictures, waysOut } from './lifecycle-picture.ts'
import { operationPage } from './operation-page.ts'
import { overviewPage } from './overview-page.ts'
import { readGuide, readGuides } from './read-markdown.ts'
import { sampleRequest } from './samples/request.ts'
import { samplesOf } from './samples/samples.ts'

const SDK_GUIDE = new URL('../../docs/sdk.md', import.meta.url)

/** Other files of the repository are not served, so a link to one becomes its text. */
const withoutFiles = (text: string) => text.replaceAll(/\[([^\]]*)\]\((?!#|\/|https?:)[^)]*\)/g, '$1')

/** Every status of an order, in words from the protocol's own table. */
const statusRows = orderStatuses.map((status) => [`\`${status}\``, statusTable.find((row) => row.status === status)?.when ?? ''])

const lifecyclePage: Page = {
  path: '/docs/lifecycle',
  title: 'The life of an order',
  summary: 'Every status, how it changes, and who does what',
  method: null,
  blocks: [
    {
      kind: 'paragraph',
      text: 'An order is two swaps under one secret hash: the user initiates the **source**, the solver the **destination**. No status is stored: it follows from what is on the chains. A reorg takes it back.',
    },
    {
      kind: 'picture',
      svg: lifecyclePictures(),
      text: [
        ...lifecycleEdges.map(({ from, to, label }) => `- \`${from}\` → \`${to}\`: ${label}`),
        `- ${waysOut.map((status) => `\`${status}\``).join(', ')} → \`awaiting_refund\`: the order can no longer complete`,
      ].join('\n'),
    },
    {
      kind: 'paragraph',
      text: 'A swap is complete for its user when `destination_swap.redeem_tx_hash` is set. What an order waits for, and who is to act, is in its `next_action`: show that, not the status alone.',
    },
    { kind: 'heading', level: 2, text: 'Status of an order' },
    { kind: 'table', head: ['status', 'when'], rows: statusRows },
    { kind: 'heading', level: 2, text: 'Who does what' },
    { kind: 'paragraph', text: 'The whole protocol. An action is wanted while its condition holds.' },
    {
      kind: 'table',
      head: ['who', 'does', 'on the', 'when'],
      rows: playbook.map((rule) => [rule.who, `**${rule.verb}**`, rule.leg, rule.when]),
    },
  ],
}

export type Book = {
  readonly title: string
  readonly summary: string
  readonly groups: readonly PageGroup[]
  readonly pages: readonly Page[]
}

const FIRST_CALL = 'getQuote'

export function writeBook(document: ApiDocument): Book {
  const operations = listOperations(document)
  const ofOperation = (operationId: string) => apiExamples.filter((example) => example.operationId === operationId)
  const fallback: ApiExample['request'] = {
    path: apiExamples.find(({ request }) => request.path?.order_id !== undefined)?.request.path ?? {},
  }
  const endpoints = document.tags.map(({ name, description = '' }): PageGroup => {
    const here = operations.filter(({ operation }) => operation.tags.includes(name))
    const pages = here.map((placed) => operationPage({ placed, examples: ofOperation(placed.operation.operationId), fallback }))
    return { title: name, summary: description, pages }
  })
  const guides = readGuides()
  const first = operations.find(({ operation }) => operation.operationId === FIRST_CALL)
  const [example] = ofOperation(FIRST_CALL)
  const firstCall = first === undefined || example === undefined ? [] : samplesOf(sampleRequest(first, example))
  const overview = overviewPage({ document, firstCall, guides, groups: endpoints })
  const groups = [
    { title: 'Start', summary: '', pages: [overview, lifecyclePage, errorsPage, sdkPage()] },
    { title: 'Guides', summary: '', pages: guides },
    ...endpoints,
  ]
  return { title: document.info.title, summary: document.info.description ?? '', groups, pages: groups.flatMap(({ pages }) => pages) }
}

function sdkPage(): Page {
  const { title, summary, blocks } = readGuide(withoutFiles(readFileSync(SDK_GUIDE, 'utf8')))
  return { path: '/docs/sdk', title, summary, method: null, blocks }
}
