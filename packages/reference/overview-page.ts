/** The first page: how to authenticate, how every answer looks, and where to go from here. */
import type { Block, Page, PageGroup, Sample } from './blocks.ts'
import type { ApiDocument } from './document/document.ts'
import { APP_HEADER, ORIGIN } from './placeholders.ts'

export type OverviewFacts = {
  readonly document: ApiDocument
  readonly firstCall: readonly Sample[]
  readonly guides: readonly Page[]
  readonly groups: readonly PageGroup[]
}

export function overviewPage({ document, firstCall, guides, groups }: OverviewFacts): Page {
  return {
    path: '/docs',
    title: 'Reference',
    summary: 'How to authenticate, how answers look, every endpoint',
    method: null,
    blocks: [
      {
        kind: 'paragraph',
        text: `Send your app id with every request, in the header \`${APP_HEADER}\`. The operator of this service makes one with \`tandem apps create\`. It says which app calls and is no secret: it may be in a web page. There are no other keys; what only the maker of an order may do needs the \`order_token\` of that order.`,
      },
      { kind: 'samples', name: 'A first call', samples: firstCall },
      {
        kind: 'list',
        isOrdered: false,
        items: [
          `**Base URL:** \`${ORIGIN}/v2\``,
          '**Answers** are an envelope `{status, error, result}`: `result` has what you asked for, `error` says what to change. [Errors and what to do](/docs/errors)',
          '**Amounts** are decimal strings in the smallest unit of the asset, never floats: `"1000000"` is 0.01 BTC.',
          '**Assets** are named `<chain>:<token>`, as [assets](/docs/api/listAssets) lists them.',
          '**To repeat** is safe: `POST /orders` with an `Idempotency-Key`, `PATCH` always.',
        ],
      },
      { kind: 'heading', level: 2, text: 'Guides' },
      { kind: 'list', isOrdered: false, items: guides.map(({ title, path, summary }) => `[${title}](${path}): ${summary}`) },
      ...groups.flatMap(endpointList),
      { kind: 'heading', level: 2, text: 'For programs' },
      {
        kind: 'list',
        isOrdered: false,
        items: [
          `[openapi.json](/openapi.json): OpenAPI ${document.openapi}, from the schemas that check every request`,
          '[llms.txt](/llms.txt), [llms-full.txt](/llms-full.txt): these pages as text',
          'Every page here as Markdown: add `.md` to its address',
        ],
      },
    ],
  }
}

function endpointList({ title, summary, pages }: PageGroup): readonly Block[] {
  return [
    { kind: 'heading', level: 2, text: title },
    { kind: 'paragraph', text: summary },
    {
      kind: 'table',
      head: ['endpoint', 'what it does'],
      rows: pages.map((page) => [`[\`${page.summary}\`](${page.path})`, page.title]),
    },
  ]
}
