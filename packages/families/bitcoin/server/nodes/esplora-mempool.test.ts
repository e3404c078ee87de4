import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { expect, test } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import { hashOf, swapAt } from '../blocks/block.fixture.ts'
import type { ParsedTransaction } from '../script/transaction.ts'
import { createMempoolLooks } from './esplora-mempool.ts'

const swaps = Array.from({ length: 10_000 }, (_, n) => ({ ...swapAt(hashOf(n), regtest), deposits: [] }))
const addressOf = (n: number) => swaps[n]?.swapId ?? ''
type Swap = Parameters<typeof createWatchedSwaps>[0][number]
const funded = (n: number): Swap => ({ ...swapAt(hashOf(n), regtest), deposits: [`${hashOf(n)}:0`] })

const allSwaps = createWatchedSwaps(swaps)
const some = swaps.slice(0, 2_000)
const someSwaps = createWatchedSwaps(some)

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
    async look(from = 0, of: readonly Swap[] = swaps) {
      asked.length = 0
      const found = await look(of === some ? someSwaps : from === 0 && of === swaps ? allSwaps : createWatchedSwaps(of.slice(from)))
      return { found: found.map((one) => one.txid()).sort(), requests: asked.length, asked: [...asked] }
    },
  }
}

test('a look at two thousand addresses is at most twenty requests, and all of them have their turn', async () => {
  const server = simulate()
  const seen = new Set<string>()
  for (let i = 0; i < 140; i++) {
    const { requests, asked } = await server.look(0, some)
    expect(requests).toBeLessThanOrEqual(20)
    for (const address of asked) seen.add(address)
  }
  expect(seen.size).toBe(some.length)
})

test('new orders that nobody funds keep no older order from its turn, and no funded one from its look', async () => {
  const server = simulate()
  const [old, paid] = [swaps[0] as Swap, funded(20_000)]
  let made = 0
  let [oldLooks, paidLooks] = [0, 0]
  for (let i = 0; i < 400; i++) {
    // Any number of them between two looks: the server would be asked for nothing else.
    made += 25
    const { asked } = await server.look(0, [...swaps.slice(1, Math.min(made, 2_000)).toReversed(), old, paid])
    oldLooks += Number(asked.includes(old.swapId))
    paidLooks += Number(asked.includes(paid.swapId))
  }
  expect(paidLooks).toBeGreaterThanOrEqual(399)
  expect(oldLooks).toBeGreaterThanOrEqual(2)
})

test('funded orders take turns among themselves', async () => {
  const server = simulate()
  const many = Array.from({ length: 100 }, (_, n) => funded(30_000 + n))
  const seen = new Set<string>()
  for (let i = 0; i < 10; i++) for (const address of (await server.look(0, [...swaps, ...many])).asked) seen.add(address)
  expect(many.filter(({ swapId }) => !seen.has(swapId))).toEqual([])
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
