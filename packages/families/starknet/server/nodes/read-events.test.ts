/** These tests read pages of events, and check what a node may do meanwhile. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Json } from '@tandem/chain-kit/providers/json.ts'
import { describe, expect, it } from 'vitest'
import { type Felt, NodeRefusal } from './node.ts'
import { createEventPages } from './read-events.ts'
import { blockOf } from './shared-node.fixture.ts'

type Filter = {
  readonly from_block: { readonly block_number?: number; readonly block_hash?: string }
  readonly to_block: { readonly block_number?: number }
  readonly chunk_size: number
  readonly continuation_token?: string
}

const shown = (height: number, more: object = {}) => ({
  from_address: '0x05',
  keys: ['0x1', `0x${height.toString(16)}`],
  data: ['0x0a'],
  block_number: height,
  block_hash: blockOf(BigInt(height)).hash,
  transaction_hash: `0x77${height}`,
  ...more,
})
const query = { address: '0x5', keys: [['0x1']] as readonly (readonly Felt[])[] } as const
const range = { ...query, from: 1n, to: 80n, lastHash: blockOf(80n).hash }

function reading(pageOf: (filter: Filter) => unknown, branchAt: (read: number) => number = () => 0) {
  const filters: Filter[] = []
  let blockReads = 0
  const request = async (_: string, params: Json) => {
    filters.push(params.filter as Filter)
    return pageOf(params.filter as Filter)
  }
  const rpc = { request, read: request, send: request, close: () => undefined }
  const block = async (height: bigint | 'latest') => (height === 'latest' || height > 100n ? null : blockOf(height, branchAt(blockReads++)))
  return { events: createEventPages(rpc, block), filters, blockReads: () => blockReads }
}
const heights = (events: readonly { readonly blockHeight: bigint }[]) => events.map(({ blockHeight }) => Number(blockHeight))

describe('a range', () => {
  it('that has one page is one request with its last block', async () => {
    const { events, filters, blockReads } = reading(() => ({ events: [shown(7)] }))
    expect(await events(range)).toEqual([
      { address: '0x5', keys: ['0x1', '0x7'], data: ['0xa'], blockHeight: 7n, blockHash: blockOf(7n).hash, tx: '0x777' },
    ])
    expect(filters).toMatchObject([{ from_block: { block_number: 1 }, to_block: { block_number: 80 } }])
    expect(blockReads()).toBe(1)
  })

  it('is read to its last page; an event on two pages is one', async () => {
    const pages: Record<string, unknown> = {
      first: { events: [shown(1), shown(2)], continuation_token: 'b' },
      b: { events: [], continuation_token: 'c' },
      c: { events: [shown(2), shown(3)], continuation_token: null },
    }
    const { events, filters } = reading(({ continuation_token = 'first' }) => pages[continuation_token])
    expect(heights(await events(range))).toEqual([1, 2, 3])
    expect(filters.map(({ continuation_token }) => continuation_token)).toEqual([undefined, 'b', 'c'])
  })

  it('has no events of pre-confirmed blocks, of other contracts, with other keys or of other blocks', async () => {
    const preConfirmed = [shown(8, { block_hash: null }), shown(9, { block_hash: undefined })]
    const others = [shown(10, { from_address: '0x6' }), shown(11, { keys: ['0x2'] }), shown(12, { keys: [] }), shown(81)]
    expect(heights(await reading(() => ({ events: [...preConfirmed, ...others, shown(13)] })).events(range))).toEqual([13])
  })

  it('that the node has not reached, or of another branch, is refused', async () => {
    const { events } = reading(() => ({ events: [] }))
    await expect(events({ ...range, to: 101n })).rejects.toThrow('it does not have block 101 yet')
    await expect(events({ ...range, to: 95n, lastHash: blockOf(95n, 1).hash })).rejects.toThrow('it is on another branch at block 95')
    expect(await events({ ...query, from: 1n, to: 95n })).toEqual([])
  })

  it('is refused if a reorg comes between two pages', async () => {
    const pages = ({ continuation_token }: Filter) =>
      continuation_token === undefined ? { events: [shown(1)], continuation_token: 'b' } : { events: [shown(2)] }
    const { events } = reading(pages, (read) => (read === 0 ? 0 : 1))
    await expect(events({ ...range, to: 95n, lastHash: blockOf(95n).hash })).rejects.toThrow('another branch')
    await expect(reading(pages, (read) => read).events({ ...query, from: 1n, to: 95n })).rejects.toThrow('another branch')
    expect(heights(await reading(pages).events(range))).toEqual([1, 2])
  })

  it('that is too large is read in parts, and the next one begins with less', async () => {
    const { events, filters } = reading(({ from_block, to_block }) => {
      const [from = 0, to = 0] = [from_block.block_number, to_block.block_number]
      if (to - from >= 30) throw new NodeRefusal(-32_602, 'block range too large')
      return { events: [shown(from)] }
    })
    expect(heights(await events(range))).toEqual([1, 21, 47, 63])
    expect(filters.map(({ from_block, to_block }) => [from_block.block_number, to_block.block_number])).toEqual([
      [1, 80],
      [1, 40],
      [1, 20],
      [21, 46],
      [47, 79],
      [47, 62],
      [63, 80],
    ])
  })

  it('of one block that is refused is not tried again', async () => {
    const { events, filters } = reading(() => {
      throw new NodeRefusal(-32_602, 'no')
    })
    await expect(events({ ...range, from: 80n })).rejects.toBeInstanceOf(NodeRefusal)
    expect(filters).toHaveLength(1)
  })

  it('asks for less at once after the node was silent', async () => {
    let isSilent = true
    const { events, filters } = reading(() => {
      if (isSilent) throw new ChainFailure('unreachable', 'timeout')
      return { events: [] }
    })
    await expect(events(range)).rejects.toMatchObject({ kind: 'unreachable' })
    isSilent = false
    await events(range)
    expect(filters[1]?.to_block.block_number).toBe(40)
  })
})

describe('pages', () => {
  it('are as large as the node allows, and stay so', async () => {
    const { events, filters } = reading(({ chunk_size }) => {
      if (chunk_size > 300) throw new NodeRefusal(31, 'Requested page size is too big')
      return { events: [] }
    })
    await events(range)
    await events(range)
    expect(filters.map(({ chunk_size }) => chunk_size)).toEqual([1000, 500, 250, 250])
  })

  it('that never end, or repeat, are those of a faulty node', async () => {
    const endless = reading(({ continuation_token = '0' }) => ({ events: [], continuation_token: `${continuation_token}0` }))
    await expect(endless.events(range)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(endless.filters.length).toBeLessThan(1_000)
    const repeating = reading(() => ({ events: [], continuation_token: 'again' }))
    await expect(repeating.events(range)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(repeating.filters.length).toBeLessThan(5)
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['no list', { events: {} }],
    ['an event without a transaction', { events: [shown(1, { transaction_hash: undefined })] }],
    ['a key that is a number', { events: [shown(1, { keys: [1] })] }],
    ['a height as text', { events: [shown(1, { block_number: '1' })] }],
    ['a token that is a number', { events: [], continuation_token: 5 }],
  ])('with %s are malformed', async (_, page) => {
    await expect(reading(() => page).events(range)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('one block', () => {
  it('is requested by its hash, and only its events count', async () => {
    const blockHash = blockOf(7n).hash
    const { events, filters } = reading(() => ({ events: [shown(7), shown(8)] }))
    expect(heights(await events({ ...query, blockHash }))).toEqual([7])
    expect(filters).toMatchObject([{ from_block: { block_hash: blockHash }, to_block: { block_hash: blockHash } }])
  })

  it('that the node lacks is refused', async () => {
    const { events } = reading(() => {
      throw new NodeRefusal(24, 'Block not found')
    })
    await expect(events({ ...query, blockHash: '0x7' })).rejects.toMatchObject({ code: 24 })
  })
})
