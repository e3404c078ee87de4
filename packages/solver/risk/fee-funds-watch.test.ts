/** Tests how often the coins for network fees are checked. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FeeFundsWatch, startFeeFundsWatch } from './fee-funds-watch.ts'

const HOUR_MS = 3_600_000
let nowMs: number
let balance: bigint
let answers: boolean
let flights: readonly InFlight[]
let asked: ChainId[]
let watch: FeeFundsWatch

beforeEach(async () => {
  nowMs = 0
  balance = 1_000n
  answers = true
  flights = []
  asked = []
  watch = startFeeFundsWatch({
    readInFlight: async () => flights,
    reader: {
      chains: ['here', 'there'],
      duties: async () => 0n,
      async read(chain) {
        asked.push(chain)
        if (!answers) throw new ChainFailure('unreachable', 'no answer')
        return { chain, asset: `${chain}:coin`, decimals: 9, address: 'me', balance, needed: 100n, perRedeem: 10n, perPayment: 5n }
      },
    },
    log: createLogger({ name: 'test', level: 'silent' }),
    // The loop checks once, at the start.
    refreshMs: HOUR_MS,
    nowMs: () => nowMs,
  })
  await watch.refresh()
  asked = []
})
afterEach(() => watch.stop())

const flight = (from: ChainId, to: ChainId): InFlight => ({
  orderId: 'order',
  admitted: true,
  usdMicros: 1n,
  clientSecret: false,
  source: { chain: from, asset: `${from}:coin`, isSpent: false, block: null },
  destination: { chain: to, asset: `${to}:coin`, amount: 1n, isPaid: false, isSpent: false },
})

async function askedAfter(ms: number): Promise<readonly ChainId[]> {
  asked = []
  nowMs += ms
  await watch.refresh()
  return asked
}

test('a chain with orders in flight is checked ten times as often as an idle one', async () => {
  flights = [flight('here', 'elsewhere')]
  expect(await askedAfter(HOUR_MS - 1)).toEqual([])
  expect(await askedAfter(1)).toEqual(['here'])
  flights = [flight('elsewhere', 'here')]
  expect(await askedAfter(HOUR_MS)).toEqual(['here'])
  flights = []
  expect(await askedAfter(HOUR_MS)).toEqual([])
  expect(await askedAfter(7 * HOUR_MS)).toEqual(['there'])
  expect(await askedAfter(2 * HOUR_MS)).toEqual(['here'])
})

test('a chain with too few coins is checked as often, until it has enough', async () => {
  balance = 0n
  await askedAfter(10 * HOUR_MS)
  expect(watch.isShort('here')).toBe(true)
  expect(watch.trips().map(({ scope }) => scope)).toContain('here->*')
  balance = 1_000n
  expect(await askedAfter(HOUR_MS)).toEqual(['here', 'there'])
  expect(watch.trips()).toEqual([])
  expect(await askedAfter(HOUR_MS)).toEqual([])
})

test('a read before a payment counts as a check', async () => {
  balance = 0n
  await watch.read('here', [])
  expect(watch.isShort('here')).toBe(true)
  expect(watch.isShort('there')).toBe(false)
  flights = [flight('here', 'there')]
  expect(await askedAfter(HOUR_MS - 1)).toEqual([])
})

test('a chain that does not answer keeps its last figures, and is asked again', async () => {
  answers = false
  expect(await askedAfter(10 * HOUR_MS)).toEqual(['here', 'there'])
  expect(watch.list()).toMatchObject([{ balance: 1_000n }, { balance: 1_000n }])
  expect(await askedAfter(1)).toEqual(['here', 'there'])
})

test('a chain counts as short of coins until it was checked', async () => {
  expect([watch.isShort('here'), watch.isShort('elsewhere')]).toEqual([false, true])
})
