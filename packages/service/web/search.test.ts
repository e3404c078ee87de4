/** Tests the search of the reference. */
import { expect, test } from 'vitest'
import { search } from './search.ts'

const field = (title: string, page: string) => ({ title, path: `/docs/api/${page}#fields`, text: `${page} · the transaction`, rank: 2 })

test('a field that many pages have is found once; every page and every part is found', () => {
  const page = (name: string) => ({ title: 'Refunds', path: `/docs/${name}`, text: name, rank: 0 })
  const entries = [field('refund_tx', 'one'), field('refund_tx', 'two'), field('refund_at', 'one'), page('guide'), page('api')]
  expect(search(entries, 'refund').map(({ path }) => path)).toEqual([
    '/docs/guide',
    '/docs/api',
    '/docs/api/one#fields',
    '/docs/api/one#fields',
  ])
  expect(search(entries, 'refund_tx two').map(({ path }) => path)).toEqual(['/docs/api/two#fields'])
})
