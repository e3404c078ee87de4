import { expect, test } from 'vitest'
import { createWatchedSwaps } from '../../../engine/watched-swaps.ts'
import { regtest } from '../bitcoin.fixture.ts'
import { hashOf, swapAt } from '../blocks/block.fixture.ts'
import type { ParsedTransaction } from '../script/transaction.ts'
import { createMempoolLooks } from './esplora-mempool.ts'

const swaps = Array.from({ length: 10_000 }, (_, n) => ({ ...swapAt(hashOf(n), regtest), deposits: [] }))
const addressOf = (n: number) => swaps[n]?.swapId ?? ''

/** A simulated server: the txids that it shows for an address, and what it was asked. */
function simulate() {
  const unconfirmed = new Map<string, readonly string[]>()
  const asked: string[] = []
  const look = createMempoolLooks({
    unconfirmed: async (address) => {
      asked.push(address)
      return (unconfirmed.get(address) ?? []).map((txid) => ({ txid, status: null, inputScripts: [], fee: 0n }))
    },
    transaction: async (txid) => ({ txid: () => txid }) as ParsedTransaction,
  })
  return {
    unconfirmed,
    /** The ids found, and how many requests it took. */
    async look(from = 0) {
      asked.length = 0
      const found = await look(createWatchedSwaps(swaps.slice(from)))
      return { found: found.map((one) => one.txid()).sort(), requests: asked.length, asked: [...asked] }
    },
  }
}

test('a look at ten thousand addresses is twenty requests; the newest thousand have all had their turn after fifty looks', async () => {
  const server = simulate()
  const seen = new Set<string>()
  for (let i = 0; i < 50; i++) {
    const { requests, asked } = await server.look()
    expect(requests).toBe(20)
    for (const address of asked) seen.add(address)
  }
  expect(seen).toEqual(new Set(swaps.slice(0, 1_000).map(({ swapId }) => swapId)))
  // Then they begin again.
  expect((await server.look()).asked).toEqual(swaps.slice(0, 20).map(({ swapId }) => swapId))
})

test('what was seen is seen in every look until it is gone', async () => {
  const server = simulate()
  server.unconfirmed.set(addressOf(5), [hashOf(1)])
  for (let i = 0; i < 10; i++) expect((await server.look()).found).toEqual([hashOf(1)])
  server.unconfirmed.delete(addressOf(5))
  expect(await server.look()).toMatchObject({ found: [], requests: 21 })
  expect((await server.look()).requests).toBe(20)
})

test('a look for one order alone does not make those of all forget what they have seen', async () => {
  const server = simulate()
  for (let i = 0; i < 10; i++) await server.look()
  server.unconfirmed.set(addressOf(205), [hashOf(1)])
  expect((await server.look()).found).toEqual([hashOf(1)])
  expect((await server.look(swaps.length - 1)).requests).toBe(1)
  const { found, asked } = await server.look()
  expect(found).toEqual([hashOf(1)])
  expect(asked).toContain(addressOf(220))
})

test('a new order is asked about in the next look, however many take turns', async () => {
  const server = simulate()
  for (let i = 0; i < 3; i++) await server.look(1)
  expect((await server.look(0)).asked).toContain(addressOf(0))
})

test('payments to very many addresses do not make a look longer', async () => {
  const server = simulate()
  for (const [n, { swapId }] of swaps.entries()) server.unconfirmed.set(swapId, [hashOf(n)])
  for (let i = 0; i < 5; i++) expect((await server.look()).requests).toBeLessThanOrEqual(60)
})
