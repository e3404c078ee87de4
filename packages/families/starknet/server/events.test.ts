/** These tests read events on the local chain, also with faulty nodes. */

import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { approvalCallOf, initiateCallOf, redeemCallOf, swapIdOf } from '../terms/htlc.ts'
import { createEventReader } from './events.ts'
import { connectNode } from './nodes/connect-node.ts'
import type { EventQuery, NodeEvent, StarknetNode } from './nodes/node.ts'
import { startTestProvider, type TestProvider } from './nodes/provider.fixture.ts'
import { newestOf } from './nodes/read-blocks.ts'
import { createFamilyFixture, type FamilyFixture } from './starknet.fixture.ts'

let fixture: FamilyFixture
let provider: TestProvider
let node: StarknetNode
beforeAll(async () => {
  fixture = await createFamilyFixture()
  provider = await startTestProvider(fixture.devnet.chain)
})
afterAll(async () => {
  await provider?.close()
  await fixture?.close()
})
beforeEach(() => {
  node = connectNode(fixture.chain, { endpoints: { rpc: [provider.url] } })
})
afterEach(() => node.close())

type Swap = { readonly terms: HtlcTerms; readonly secret: string; readonly swapId: string }
function newSwap(): Swap {
  const secret = createSecret()
  const terms: HtlcTerms = {
    asset: fixture.asset.id,
    initiator: fixture.user.account,
    redeemer: fixture.solver.account,
    amount: 1_000n,
    timelock: 600n,
    secretHash: hashSecret(secret),
  }
  return { terms, secret, swapId: swapIdOf(fixture.contract, terms) }
}
const newSwaps = (count: number) => Array.from({ length: count }, newSwap)
const watching = (...swaps: readonly Swap[]) => createWatchedSwaps(swaps.map(({ terms, swapId }) => ({ terms, swapId, deposits: [] })))

const mine = (blocks = 1) => fixture.devnet.chain.mine(blocks)
const newest = () => newestOf(node)
function initiate(...swaps: readonly Swap[]): void {
  const { contract, user, send } = fixture
  for (const { terms } of swaps) send(user, [approvalCallOf(contract, terms.amount), initiateCallOf(contract, terms, user.account)])
}
const reader = (changes: Partial<StarknetNode> = {}) => createEventReader({ ...node, ...changes }, fixture.contracts, fixture.chain)

describe('events', () => {
  it('of an order in one block are in its sequence; nothing of a pre-confirmed block counts', async () => {
    const swap = newSwap()
    const from = (await newest()).height + 1n
    initiate(swap)
    fixture.devnet.chain.faults.preConfirm()
    await expect(reader().read(watching(swap), from, from)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await reader().read(watching(swap), from - 1n, from - 1n)).toEqual([])
    fixture.send(fixture.solver, [redeemCallOf(fixture.contract, swap.terms, swap.secret)])
    mine()
    const { height, hash, time } = await newest()
    const common = { swapId: swap.swapId, deposit: swap.swapId, block: { height, hash, time } }
    const events = await reader().read(watching(swap), from, height)
    expect(events).toEqual([
      { ...common, kind: 'initiated', amount: 1_000n, expiresAt: time + 600n, tx: expect.any(String), index: `initiated:${swap.swapId}` },
      { ...common, kind: 'redeemed', secret: swap.secret, paid: 1_000n, tx: expect.any(String), index: `redeemed:${swap.swapId}` },
    ])
    expect(events[0]?.tx).not.toBe(events[1]?.tx)
  })

  it('of strangers are not even requested while few swaps are open', async () => {
    const [own, ...strangers] = newSwaps(6)
    if (own === undefined) throw new Error('no swap')
    const from = (await newest()).height + 1n
    initiate(own, ...strangers)
    mine()
    const given: (readonly NodeEvent[])[] = []
    const counting: Partial<StarknetNode> = {
      async events(query: EventQuery) {
        const events = await node.events(query)
        given.push(events)
        return events
      },
    }
    expect(await reader(counting).read(watching(own), from, from)).toMatchObject([{ swapId: own.swapId }])
    expect(given.map(({ length }) => length)).toEqual([1])
    given.length = 0
    const many = watching(own, ...newSwaps(12))
    expect(await reader(counting).read(many, from, from)).toMatchObject([{ swapId: own.swapId }])
    expect(given.map(({ length }) => length)).toEqual([6])
  })

  it('are not requested while no swap is open', async () => {
    const tip = await newest()
    provider.asked.length = 0
    const nothing: WatchedSwaps = createWatchedSwaps([])
    expect(await reader().read(nothing, 0n, tip.height)).toEqual([])
    expect(await reader().readBranch(nothing, 0n, tip, [])).toEqual({ events: [], headers: [] })
    expect(provider.asked).toEqual([])
  })

  it('of one block and the headers of a branch take one call each', async () => {
    const swap = newSwap()
    initiate(swap)
    mine()
    const tip = await newest()
    provider.asked.length = 0
    const read = await reader().readBranch(watching(swap), tip.height, tip, [tip.height - 1n])
    expect(read.events).toMatchObject([{ kind: 'initiated', swapId: swap.swapId }])
    expect(read.headers.map(({ height }) => height)).toEqual([tip.height - 1n])
    expect(provider.asked).toEqual(['starknet_getEvents', 'starknet_getBlockWithTxHashes'])
  })
})

describe('a node that errs', () => {
  it('by a reorg during the read is read again, and given up after some tries', async () => {
    const swap = newSwap()
    const from = (await newest()).height + 1n
    initiate(swap)
    mine(2)
    const tip = await newest()
    let blockReads = 0
    const flips = (until: number): Partial<StarknetNode> => ({
      async block(height) {
        blockReads += 1
        const block = await node.block(height)
        return block !== null && blockReads <= until ? { ...block, hash: `0x${blockReads}` } : block
      },
      events: ({ address, keys }) => node.events({ address, keys, from, to: tip.height }),
    })
    expect(await reader(flips(2)).read(watching(swap), from, tip.height)).toHaveLength(1)
    blockReads = 0
    await expect(reader(flips(100)).read(watching(swap), from, tip.height)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('no consistent view'),
    })
  })

  it('and shows an event of a block that is not canonical is not believed', async () => {
    const swap = newSwap()
    initiate(swap)
    mine()
    const tip = await newest()
    const stale: Partial<StarknetNode> = {
      events: async (query) => (await node.events(query)).map((one) => ({ ...one, blockHash: '0xdead' })),
    }
    await expect(reader(stale).read(watching(swap), tip.height, tip.height)).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(reader(stale).readBranch(watching(swap), tip.height, tip, [])).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('and lacks the last block, or refuses, loses no event', async () => {
    const tip = await newest()
    await expect(reader().read(watching(newSwap()), tip.height, tip.height + 1n)).rejects.toMatchObject({ kind: 'unreachable' })
    const other = { ...tip, hash: '0xdead' }
    await expect(reader().readBranch(watching(newSwap()), tip.height, other, [])).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(reader().readBranch(watching(newSwap()), tip.height - 1n, other, [])).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it.each<[string, (event: NodeEvent) => NodeEvent]>([
    ['another amount', (event) => ({ ...event, data: event.data.map((felt, i) => (i === 3 ? '0x1' : felt)) })],
    ['another redeemer', (event) => ({ ...event, data: event.data.map((felt, i) => (i === 1 ? '0x1' : felt)) })],
    ['another length', (event) => ({ ...event, data: event.data.slice(1) })],
  ])('and contradicts the terms with %s stops the read', async (_, change) => {
    const swap = newSwap()
    initiate(swap)
    mine()
    const { height } = await newest()
    const lying: Partial<StarknetNode> = { events: async (query) => (await node.events(query)).map(change) }
    await expect(reader(lying).read(watching(swap), height, height)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('contradicts the terms'),
    })
  })

  it('and invents a secret stops the read', async () => {
    const swap = newSwap()
    initiate(swap)
    fixture.send(fixture.solver, [redeemCallOf(fixture.contract, swap.terms, swap.secret)])
    mine()
    const { height } = await newest()
    const lying: Partial<StarknetNode> = {
      events: async (query) =>
        (await node.events(query)).map((one) => (one.data.length === 8 ? { ...one, data: one.data.map(() => '0x1') } : one)),
    }
    await expect(reader(lying).read(watching(swap), height, height)).rejects.toThrow('contradicts the terms')
  })
})
