/** Tests that polls of an Esplora mempool have a bounded cost and overlook no payment. */
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { expect, test } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import { hashOf, swapAt } from '../blocks/block.fixture.ts'
import type { ParsedTransaction } from '../script/transaction.ts'
import { createMempoolReads } from './esplora-mempool.ts'

const swaps = Array.from({ length: 10_000 }, (_, n) => ({ ...swapAt(hashOf(n), regtest), deposits: [] }))
const addressOf = (n: number) => swaps[n]?.swapId ?? ''
type Swap = Parameters<typeof createWatchedSwaps>[0][number]
const funded = (n: number): Swap => ({ ...swapAt(hashOf(n), regtest), deposits: [`${hashOf(n)}:0`] })

const allSwaps = createWatchedSwaps(swaps)
const some = swaps.slice(0, 2_000)
const someSwaps = createWatchedSwaps(some)

function simulate() {
  const unconfirmed = new Map<string, readonly string[]>()
  const asked: string[] = []
  const poll = createMempoolReads({
    unconfirmed: async (address) => {
      asked.push(address)
      return (unconfirmed.get(address) ?? []).map((txid) => ({ txid, status: null, inputScripts: [], fee: 0n }))
    },
    transaction: async (txid) => ({ txid: () => txid }) as ParsedTransaction,
  })
  return {
    unconfirmed,
    async poll(from = 0, of: readonly Swap[] = swaps) {
      asked.length = 0
      const found = await poll(of === some ? someSwaps : from === 0 && of === swaps ? allSwaps : createWatchedSwaps(of.slice(from)))
      return { found: found.map((one) => one.txid()).sort(), requests: asked.length, asked: [...asked] }
    },
  }
}

test('a poll of two thousand addresses is at most twenty requests, and all addresses are read round robin', async () => {
  const server = simulate()
  const seen = new Set<string>()
  for (let i = 0; i < 140; i++) {
    const { requests, asked } = await server.poll(0, some)
    expect(requests).toBeLessThanOrEqual(20)
    for (const address of asked) seen.add(address)
  }
  expect(seen.size).toBe(some.length)
})

test('new orders that nobody funds delay neither older nor funded ones', async () => {
  const server = simulate()
  const [old, paid] = [swaps[0] as Swap, funded(20_000)]
  let made = 0
  let [oldLooks, paidLooks] = [0, 0]
  for (let i = 0; i < 400; i++) {
    // Any number of new orders may come between two polls, and they could take all requests.
    made += 25
    const { asked } = await server.poll(0, [...swaps.slice(1, Math.min(made, 2_000)).toReversed(), old, paid])
    oldLooks += Number(asked.includes(old.swapId))
    paidLooks += Number(asked.includes(paid.swapId))
  }
  expect(paidLooks).toBeGreaterThanOrEqual(399)
  expect(oldLooks).toBeGreaterThanOrEqual(2)
})

test('funded orders are read round robin among themselves', async () => {
  const server = simulate()
  const many = Array.from({ length: 100 }, (_, n) => funded(30_000 + n))
  const seen = new Set<string>()
  for (let i = 0; i < 10; i++) for (const address of (await server.poll(0, [...swaps, ...many])).asked) seen.add(address)
  expect(many.filter(({ swapId }) => !seen.has(swapId))).toEqual([])
})

test('an unconfirmed transaction is shown in every poll until it disappears', async () => {
  const server = simulate()
  server.unconfirmed.set(addressOf(5), [hashOf(1)])
  for (let i = 0; i < 10; i++) expect((await server.poll()).found).toEqual([hashOf(1)])
  server.unconfirmed.delete(addressOf(5))
  expect(await server.poll()).toMatchObject({ found: [], requests: 21 })
  expect((await server.poll()).requests).toBe(20)
})

test('a poll for a single order does not make the polls for all forget what they have found', async () => {
  const server = simulate()
  for (let i = 0; i < 10; i++) await server.poll()
  server.unconfirmed.set(addressOf(205), [hashOf(1)])
  expect((await server.poll()).found).toEqual([hashOf(1)])
  expect((await server.poll(swaps.length - 1)).requests).toBe(1)
  const { found, asked } = await server.poll()
  expect(found).toEqual([hashOf(1)])
  expect(asked).toContain(addressOf(220))
})

test('a new order is read in the next poll, however many others there are', async () => {
  const server = simulate()
  for (let i = 0; i < 3; i++) await server.poll(1)
  expect((await server.poll(0)).asked).toContain(addressOf(0))
})

test('payments to very many addresses do not make a poll longer', async () => {
  const server = simulate()
  for (const [n, { swapId }] of swaps.entries()) server.unconfirmed.set(swapId, [hashOf(n)])
  for (let i = 0; i < 5; i++) expect((await server.poll()).requests).toBeLessThanOrEqual(60)
})
