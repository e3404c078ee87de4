/** These tests read pages of transactions from a simulated node: nothing may be overlooked, and the work of one read is bounded. */
import type { Address, Signature } from '@solana/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { createHistory } from './history.ts'
import type { SignatureQuery } from './node.ts'
import type { Rpc } from './rpc.ts'

const PROGRAM = 'HtLcHtLcHtLcHtLcHtLcHtLcHtLcHtLcHtLcHtLcHtLc' as Address

type Entry = { readonly signature: Signature; readonly slot: number; readonly err: unknown }

/** The oldest entry is first. */
let entries: Entry[]
let pages: { readonly before: string | null; readonly limit: number }[]
let firstAvailable: number
let finalSlot: bigint
let branch: string
let newest: bigint
let unknown: Set<string>
let onSecondPage: () => void
let maxListed: number
let lacking: ReadonlySet<number>

beforeEach(() => {
  entries = []
  pages = []
  firstAvailable = 0
  finalSlot = 1_000_000n
  branch = 'main'
  newest = 1_000_000n
  unknown = new Set()
  onSecondPage = () => undefined
  maxListed = 1_000
  lacking = new Set()
})

function signatureOf(index: number): Signature {
  return `${index.toString().replaceAll('0', 'A')}`.padStart(88, 'z') as Signature
}

function add(slot: number, count: number, err: unknown = null): Signature[] {
  const added = Array.from({ length: count }, (_, i) => ({ signature: signatureOf(entries.length + i), slot, err }))
  entries = [...entries, ...added]
  return added.map(({ signature }) => signature)
}

const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
  getFirstAvailableBlock: () => firstAvailable,
  getSignaturesForAddress([address, options]) {
    expect(address).toBe(PROGRAM)
    const { before = null, limit } = options as { before?: string; limit: number }
    pages.push({ before, limit })
    if (pages.length === 2) onSecondPage()
    if (before !== null && unknown.has(before)) return []
    const newestFirst = entries.toReversed()
    const start = before === null ? 0 : newestFirst.findIndex(({ signature }) => signature === before) + 1
    return newestFirst.slice(start, start + Math.min(limit, maxListed))
  },
  getBlocks([from, to]) {
    const count = Number(to) - Number(from) + 1
    return Array.from({ length: count }, (_, i) => Number(from) + i).filter((slot) => !lacking.has(slot))
  },
}

const rpc: Rpc = {
  request: async (method, params) => answers[method]?.(params),
  read: async (method, params) => answers[method]?.(params),
  close: () => undefined,
}

const hashAt = (slot: bigint) => `${branch} ${slot}`
const open = () =>
  createHistory(rpc, {
    finalSlot: async () => finalSlot,
    block: async (slot) =>
      slot === 'latest' || slot > newest ? null : { height: slot, hash: hashAt(slot), parentHash: '', time: 0n, ordinal: slot },
  })

function query(from: bigint, to: bigint): SignatureQuery {
  return { address: PROGRAM, from, to, last: { height: to, hash: hashAt(to) } }
}

const namesOf = (found: readonly { readonly signature: Signature }[] | null) => found?.map(({ signature }) => signature)

test('the newest slots cost one small page; failed transactions are left out; oldest first', async () => {
  add(10, 40)
  const [first, second] = add(20, 2)
  add(21, 3, { InstructionError: [0, { Custom: 6019 }] })
  const [third] = add(22, 1)
  expect(namesOf(await open().signatures(query(20n, 30n)))).toEqual([first, second, third])
  expect(pages).toEqual([{ before: null, limit: 32 }])
  expect(await open().signatures(query(11n, 19n))).toEqual([])
})

test('a list that is longer than the limit ends after one page, and is null', async () => {
  add(10, 5)
  add(20, 60, { InstructionError: [0, { Custom: 6019 }] })
  const history = open()
  expect(await history.signatures({ ...query(20n, 30n), maxCount: 30 })).toBeNull()
  expect(pages).toHaveLength(1)
  expect(await history.signatures({ ...query(20n, 30n), maxCount: 60 })).toEqual([])
})

test('a busy program takes one page, as large as needed; a quiet one again a small page', async () => {
  const history = open()
  const read = async (slot: number) => {
    pages = []
    await history.signatures(query(BigInt(slot), BigInt(slot)))
    return pages.map(({ limit }) => limit)
  }
  add(9, 5)
  add(10, 200)
  expect(await read(10)).toEqual([32, 1000])
  add(11, 250)
  expect(await read(11)).toEqual([434])
  add(12, 1)
  expect(await read(12)).toEqual([532])
  expect(await read(13)).toEqual([34])
})

test('more than a page of failed transactions hides nothing', async () => {
  add(9, 1)
  const [hidden] = add(10, 1)
  add(11, 2_500, 'AccountInUse')
  const [last] = add(12, 1)
  expect(namesOf(await open().signatures(query(10n, 12n)))).toEqual([hidden, last])
  expect(pages.map(({ limit }) => limit)).toEqual([32, 1000, 1000, 1000])
})

test('exactly as many as a page holds, and the beginning of the chain', async () => {
  for (const count of [32, 1_030, 1_031, 1_032]) {
    entries = []
    const added = add(10, count)
    expect(namesOf(await open().signatures(query(5n, 10n)))).toEqual(added)
  }
})

describe('a list that may lack transactions is refused', () => {
  test('if the node has pruned a part of the range', async () => {
    add(50, 3)
    firstAvailable = 41
    expect(namesOf(await open().signatures(query(41n, 60n)))).toHaveLength(3)
    await expect(open().signatures(query(40n, 60n))).rejects.toThrow(
      'pruned its history below slot 41, and transactions from slot 40 on are needed',
    )
  })

  test('unless the chain itself begins there', async () => {
    add(50, 3)
    firstAvailable = 41
    const genesis = createHistory(rpc, {
      finalSlot: async () => finalSlot,
      block: async (slot) => ({ height: 0n, hash: hashAt(slot as bigint), parentHash: '', time: 0n, ordinal: slot === 41n ? 0n : 9n }),
    })
    expect(await genesis.signatures(query(3n, 60n))).toHaveLength(3)
  })

  test('if a page does not connect to the one before', async () => {
    const added = add(10, 100)
    unknown.add(added[69] ?? '')
    await expect(open().signatures(query(5n, 10n))).rejects.toThrow('a gap below slot 10')
  })

  test('if the node gives fewer than requested', async () => {
    const added = add(10, 150)
    maxListed = 100
    await expect(open().signatures(query(5n, 10n))).rejects.toThrow('ends too early, at slot 10')
    maxListed = 1_000
    expect(namesOf(await open().signatures(query(5n, 10n)))).toEqual(added)
  })

  test('if the node lacks blocks since it was restarted from a snapshot', async () => {
    add(4, 40)
    add(900, 1)
    lacking = new Set(Array.from({ length: 300 }, (_, i) => 100 + i))
    await expect(open().signatures(query(5n, 1_000n))).rejects.toThrow('lacks blocks in slots 5 to 1000')
    lacking = new Set()
    expect(await open().signatures(query(5n, 1_000n))).toHaveLength(1)
  })

  test('if it is not from the newest to the oldest', async () => {
    add(10, 3)
    add(9, 3)
    await expect(open().signatures(query(5n, 10n))).rejects.toThrow('from the newest to the oldest')
  })

  test('if the node is on another branch, or has not come so far', async () => {
    add(10, 1)
    const asked = query(5n, 10n)
    branch = 'fork'
    await expect(open().signatures(asked)).rejects.toThrow('another branch at slot 10')
    newest = 9n
    await expect(open().signatures(query(5n, 10n))).rejects.toThrow('does not have block 10 yet')
  })

  test('if the branch changes between two pages', async () => {
    add(10, 100)
    onSecondPage = () => {
      branch = 'fork'
    }
    await expect(open().signatures(query(5n, 10n))).rejects.toThrow('another branch at slot 10')
  })
})

test('catching up: old slots begin where an earlier read has been, not at the newest transaction', async () => {
  for (let slot = 100; slot < 200; slot += 1) add(slot, 100)
  const history = open()
  expect(await history.signatures(query(100n, 109n))).toHaveLength(1_000)
  const first = pages.length
  expect(first).toBeGreaterThan(10)
  for (let from = 110n; from < 200n; from += 10n) {
    pages = []
    expect(await history.signatures(query(from, from + 9n))).toHaveLength(1_000)
    expect(pages.length).toBeLessThanOrEqual(3)
  }
})

test('a page in a block that may be undone is not begun from later', async () => {
  for (let slot = 100; slot < 200; slot += 1) add(slot, 100)
  finalSlot = 100n
  const history = open()
  await history.signatures(query(100n, 109n))
  pages = []
  await history.signatures(query(110n, 119n))
  expect(pages[0]).toMatchObject({ before: null })
})

test('a long list is read in parts: the next read goes on where the last one ended', async () => {
  const wanted = add(10, 1)
  add(11, 120_000, 'AccountInUse')
  const last = add(12, 1)
  const history = open()
  for (const reads of [1, 2]) {
    pages = []
    await expect(history.signatures(query(10n, 12n)), `read ${reads}`).rejects.toThrow('the next read goes on')
    expect(pages).toHaveLength(50)
  }
  expect(namesOf(await history.signatures(query(10n, 12n)))).toEqual([...wanted, ...last])
})
