/** Tests how the coins that pay fees are read: shared, and without waiting for a dead node. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { randomSigner, regtest, regtestChain } from '../bitcoin.fixture.ts'
import type { Coin } from '../nodes/backend.ts'
import { readSponsorCoins } from './sponsor-coins.ts'

const coin: Coin = { outpoint: `${'ab'.repeat(32)}:0`, amount: 50_000n, isConfirmed: true }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function simulateNode() {
  const node = { asked: 0, answer: (): Promise<readonly Coin[]> => Promise.resolve([coin]) }
  const backend = {
    coinsOf: () => {
      node.asked += 1
      return node.answer()
    },
    contentOf: async () => null,
  }
  const reader = { chain: regtestChain(), network: regtest, backend }
  const { publicKey } = randomSigner()
  return { node, read: (key = publicKey) => readSponsorCoins(reader, key, null) }
}

test('concurrent payouts share a read, and later ones read again', async () => {
  const { node, read } = simulateNode()
  const all = await Promise.all(Array.from({ length: 20 }, () => read()))
  expect(all).toEqual(Array.from({ length: 20 }, () => ({ used: [], unspent: [coin] })))
  expect(node.asked).toBe(1)
  await read()
  expect(node.asked).toBe(2)
})

test('payouts wait for a node that hangs once, for 15 s, and no other for a minute', async () => {
  const { node, read } = simulateNode()
  node.answer = () => new Promise(() => undefined)
  const waiting = Promise.all([read(), read()])
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await waiting).toEqual([null, null])
  await vi.advanceTimersByTimeAsync(59_000)
  expect([await read(), node.asked]).toEqual([null, 1])
  node.answer = () => Promise.resolve([coin])
  expect(await read(randomSigner().publicKey)).toEqual({ used: [], unspent: [coin] })
  await vi.advanceTimersByTimeAsync(1_000)
  expect([await read(), node.asked]).toEqual([{ used: [], unspent: [coin] }, 3])
})

test('an error in our own code is neither hidden nor remembered', async () => {
  const { node, read } = simulateNode()
  node.answer = () => Promise.reject(new TypeError('a mistake'))
  await expect(read()).rejects.toThrow('a mistake')
  node.answer = () => Promise.resolve([coin])
  expect(await read()).toEqual({ used: [], unspent: [coin] })
})
