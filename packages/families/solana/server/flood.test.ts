/** These tests count the cost of a poll while strangers' transactions name the program or an order. Calls are counted, never timed. */
import type { Address } from '@solana/kit'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { honest } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeOrder } from '../contract/client/instructions.ts'
import { ASSET, type FloodFixture, openFlood, type Swap } from './flood.fixture.ts'
import { type Behaviour, forgedInitiation, lyingAbout, startTestProvider, type TestProvider } from './nodes/provider.fixture.ts'
import { createSolanaFixture, type SolanaFixture } from './solana.fixture.ts'

const MAX_CALLS = 20
/** Each event costs the list of its order, the transaction, and the proof that the list is whole. */
const CALLS_OF_EVENT = 8

const UNFUNDED_CALLS = 10
/** In the slot of an event, the transactions before it that name the order are fetched too, in parts. */
const SAME_SLOT = 32
/** A flood is far longer than what is fetched while none is ours. */
const FLOOD = 40

let fixture: SolanaFixture
let provider: TestProvider
let client: ChainClient
let play: FloodFixture

beforeAll(async () => {
  fixture = await createSolanaFixture()
  provider = await startTestProvider(fixture.local)
})
beforeEach(async () => {
  await client?.close()
  client = fixture.connect({ endpoints: { rpc: [provider.url] } })
  fixture.local.mine()
  play = await openFlood(fixture, provider, client)
})
afterAll(async () => {
  await client?.close()
  await provider?.close()
  await fixture?.close()
})

const newSwap = () => play.newSwap()
const initiate = (swap: Swap) => play.initiate(swap)
const redeem = (swap: Swap) => play.redeem(swap)
const flood = (count: number, ...more: readonly Address[]) => play.flood(count, ...more)
const poll = (swaps: readonly Swap[]) => play.poll(swaps)

describe('while strangers name the program in hundreds of transactions', () => {
  test('a poll costs no more with ten times as many, and no more than a bound', async () => {
    const swaps = [newSwap(), newSwap(), newSwap()]
    for (const swap of swaps) await initiate(swap)
    fixture.local.mine()
    expect((await poll(swaps)).events).toHaveLength(3)
    const calls: number[] = []
    for (const count of [20, 200, 400]) {
      flood(count)
      fixture.local.mine()
      calls.push((await poll(swaps)).calls)
    }
    expect(Math.max(...calls)).toBeLessThanOrEqual(MAX_CALLS)
  })

  test.each(['the program', 'the order too'])('a payment and a secret are seen in the next poll: %s', async (named) => {
    const [swap, other] = [newSwap(), newSwap()]
    const more = named === 'the program' ? [] : [swap.order]
    const initiation = await initiate(swap)
    flood(FLOOD, ...more)
    fixture.local.mine()
    const first = await poll([swap, other])
    expect(first.events).toMatchObject([{ kind: 'initiated', tx: initiation, swapId: swap.order, amount: swap.terms.amount }])
    flood(FLOOD, ...more)
    fixture.local.mine()
    expect((await poll([swap, other])).events).toEqual([])
    flood(20, ...more)
    const redemption = redeem(swap)
    flood(20, ...more)
    fixture.local.mine()
    flood(FLOOD, ...more)
    fixture.local.mine()
    const second = await poll([swap, other])
    expect(second.events).toMatchObject([{ kind: 'redeemed', tx: redemption, secret: swap.secret }])
    const block = second.events[0]?.block
    expect(await client.headers([block?.height ?? 0n])).toMatchObject([{ hash: block?.hash }])
    for (const { calls } of [first, second])
      expect(calls).toBeLessThanOrEqual(MAX_CALLS + CALLS_OF_EVENT + (named === 'the program' ? 0 : SAME_SLOT))
    flood(FLOOD, ...more)
    fixture.local.mine()
    const third = await poll([swap, other])
    expect(third.events).toEqual([])
    expect(third.calls).toBeLessThanOrEqual(MAX_CALLS)
  })

  test('an order that was settled and closed meanwhile is read from its own list', async () => {
    const swap = newSwap()
    await initiate(swap)
    fixture.local.mine()
    await poll([swap])
    const redemption = redeem(swap)
    fixture.local.mine()
    fixture.local.passTime(200)
    fixture.send([closeOrder(fixture.program, swap.order, fixture.user.address)], fixture.solver)
    flood(FLOOD)
    fixture.local.mine()
    expect(fixture.local.node.svm.account(swap.order)).toBeNull()
    expect((await poll([swap])).events).toMatchObject([{ kind: 'redeemed', tx: redemption, secret: swap.secret }])
    flood(FLOOD)
    fixture.local.mine()
    const after = await poll([swap])
    expect(after.events).toEqual([])
    expect(after.calls).toBeLessThanOrEqual(MAX_CALLS)
  })

  test('a provider that hides the accounts, or makes one up, is outvoted', async () => {
    const others = [await startTestProvider(fixture.local), await startTestProvider(fixture.local)]
    await client.close()
    client = fixture.connect({ endpoints: { rpc: [provider, ...others].map(({ url }) => url) }, quorum: 2 })
    play = await openFlood(fixture, provider, client)
    try {
      const [swap, unpaid] = [newSwap(), newSwap()]
      const hides: Behaviour = lyingAbout({ getMultipleAccounts: (_, truth) => ({ ...(truth as object), value: [null, null] }) })
      for (const lie of [hides, forgedInitiation(fixture.contracts.of(ASSET), unpaid.terms, await client.tip())]) {
        provider.behave(lie)
        if (lie === hides) await initiate(swap)
        else redeem(swap)
        flood(FLOOD)
        fixture.local.mine()
        const { events } = await poll([swap, unpaid])
        expect(events.map(({ kind, swapId }) => [kind, swapId])).toEqual([[lie === hides ? 'initiated' : 'redeemed', swap.order]])
      }
    } finally {
      provider.behave(honest)
      for (const other of others) await other.close()
    }
  })

  test('more than a thousand unfunded orders delay only each other, and all are read', async () => {
    const open = newSwap()
    await initiate(open)
    fixture.local.mine()
    await poll([open])
    const unfunded = Array.from({ length: 1_100 }, newSwap)
    const paid = unfunded[1_050] as Swap
    await initiate(paid)
    const redemption = redeem(open)
    flood(FLOOD)
    fixture.local.mine()
    const first = await poll([open, ...unfunded])
    expect(first.events).toMatchObject([{ kind: 'redeemed', tx: redemption }])
    const events: HtlcEvent[] = []
    for (let polls = 0; polls < 2; polls += 1) {
      fixture.local.mine()
      const { events: more, calls } = await poll([open, ...unfunded])
      events.push(...more)
      expect(calls).toBeLessThanOrEqual(MAX_CALLS + UNFUNDED_CALLS + CALLS_OF_EVENT)
    }
    expect(events).toMatchObject([{ kind: 'initiated', swapId: paid.order }])
  })
})

test('a poll costs the same few calls while nobody calls the program, however many orders are open', async () => {
  // The newest slots are listed again, so the earlier floods must be below them.
  fixture.local.mine(40)
  play = await openFlood(fixture, provider, client)
  const swaps = Array.from({ length: 300 }, newSwap)
  const calls: number[] = []
  for (let polls = 0; polls < 3; polls += 1) {
    fixture.local.mine()
    calls.push((await poll(swaps)).calls)
  }
  expect(Math.max(...calls.slice(1))).toBeLessThanOrEqual(2)
})
