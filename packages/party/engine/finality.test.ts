/** Tests the finality tag of a chain: the watcher reads it and records it, and actions wait for it. */

import type { Order } from '@tandem/protocol/order.ts'
import { deriveOrder, isClosed } from '@tandem/protocol/state.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { REMEMBERED_BLOCKS, readBlocks, readCursor } from '../store/chain/events.ts'
import { findOrderSnapshots } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder, sightingsOf, storedOrder } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { registry } from './engine.fixture.ts'
import { factsOf, loadFacts, loadLiveFacts } from './facts.ts'
import { createFinalGuard, type FinalGuard } from './final-guard.ts'
import { pollChain } from './watcher.ts'

const store = sharedStore()
let bitcoin: MemoryChain
let ethereum: MemoryChain
let order: Order
let said: bigint | null
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  ethereum = createMemoryChain('ethereum_localnet', NOW)
  said = null
  ethereum.finalHeight = async () => said
  order = (await putOrder(store.db)).order
})

const watch = (client = ethereum) => pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
const recorded = async () => (await readCursor(store.db, ethereum.chain.id))?.finalHeight ?? null
const found = () => storedOrder(store.db, order.id)
const live = async () => {
  const clients = new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
  return loadLiveFacts({ db: store.db, registry, clients, now: () => NOW }, await found(), [])
}

test('the final height is recorded with the newest block; a new final height alone is a change', async () => {
  await watch()
  expect(await recorded()).toBeNull()
  said = 1010n
  expect((await watch()).changed).toBe(true)
  expect(await recorded()).toBe(1010n)
  expect((await watch()).changed).toBe(false)
  ethereum.grow(3)
  said = 1011n
  await watch()
  expect(await recorded()).toBe(1011n)
})

test('the final height never decreases, neither by a node nor by a reorg above it', async () => {
  said = 1090n
  await watch()
  said = 1080n
  ethereum.grow(1)
  await watch()
  expect(await recorded()).toBe(1090n)
  said = 1095n
  ethereum.grow(1)
  await watch()
  said = 1080n
  ethereum.drop(3)
  ethereum.grow(4)
  // The first poll rewinds, the second continues.
  for (const _ of [1, 2]) {
    await watch()
    expect(await recorded()).toBe(1095n)
  }
  await watch(bitcoin)
  expect((await live()).tips.destination.finalHeight).toBe(1095n)
})

test('without a tag from the node there is no final height, until a node has the tag again', async () => {
  said = 1090n
  await watch()
  said = null
  ethereum.grow(1)
  await watch()
  expect(await recorded()).toBeNull()
  said = 1085n
  await watch()
  expect(await recorded()).toBe(1090n)
})

test('a reorg of final blocks is not accepted, and their events stay', async () => {
  const mined = ethereum.mine(sightingsOf(order.destination.swapId).initiated())
  said = mined.height
  await watch()
  const before = await readCursor(store.db, ethereum.chain.id)
  ethereum.drop(1)
  ethereum.grow(2)
  for (const _ of [1, 2])
    await expect(watch()).rejects.toThrow(`replaced block ${mined.height}, and blocks up to ${mined.height} were final`)
  expect(await readCursor(store.db, ethereum.chain.id)).toEqual(before)
  expect((await loadFacts(store.db, registry, [await found()], NOW))[0]?.events.destination).toHaveLength(1)
})

test('a reorg of final blocks is not accepted if it forks between remembered blocks, either', async () => {
  await watch()
  ethereum.grow(60)
  const { height } = await ethereum.tip()
  said = height - 10n
  await watch()
  ethereum.drop(20)
  ethereum.grow(30)
  await expect(watch()).rejects.toThrow(`blocks up to ${said} were final`)
  // The final block is remembered, to distinguish a reorg above it from one below.
  expect((await readBlocks(store.db, ethereum.chain.id)).map((block) => block.height)).toContain(said)
})

test('the final height is never above the newest block', async () => {
  said = 2n ** 64n
  const { height } = await ethereum.tip()
  await watch()
  expect(await recorded()).toBe(height)
  await watch(bitcoin)
  expect((await live()).tips.destination.finalHeight).toBe(height)
})

describe('a wrong finality tag', () => {
  const warnings: string[] = []
  let nowMs = 0
  let guard: FinalGuard
  beforeEach(() => {
    warnings.length = 0
    nowMs = 0
    guard = createFinalGuard(
      (what) => warnings.push(what),
      () => nowMs,
    )
  })
  const guarded = () => pollChain({ db: store.db, client: ethereum, holder: 'me', guard, onReorg: () => undefined })
  async function refusedOf(polls: number): Promise<number> {
    let refused = 0
    for (let poll = 0; poll < polls; poll += 1) {
      refused += await guarded().then(
        () => 0,
        () => 1,
      )
      nowMs += 10_000
    }
    return refused
  }
  async function reorgBelow(height: bigint): Promise<void> {
    said = height
    await guarded()
    ethereum.drop(1)
    ethereum.grow(2)
  }

  test('is discarded once it has not covered the old branch for a minute, and an operator is informed', async () => {
    const { height } = await ethereum.tip()
    await reorgBelow(height)
    said = 1050n
    expect(await refusedOf(9)).toBe(9)
    expect(warnings).toEqual([])
    // The new branch may be final by then.
    said = height
    expect(await guarded()).toEqual({ changed: true, behind: true })
    expect(warnings).toEqual([expect.stringContaining(`blocks up to ${height} were final`)])
    expect(await recorded()).toBe(1050n)
    await guarded()
    expect(await readCursor(store.db, ethereum.chain.id)).toMatchObject(await ethereum.tip())
    expect(await recorded()).toBe(height)
  })

  test('is not discarded sooner', async () => {
    const { height } = await ethereum.tip()
    await reorgBelow(height)
    expect(await refusedOf(12)).toBe(12)
    said = 1050n
    for (let poll = 0; poll < 20; poll += 1) await expect(guarded()).rejects.toThrow('which its finality tag does not cover now')
    expect(warnings).toEqual([])
  })

  test('is discarded after ten minutes if the tag covers the new branch', async () => {
    const { height } = await ethereum.tip()
    await reorgBelow(height)
    expect(await refusedOf(60)).toBe(60)
    expect(warnings).toEqual([])
    expect(await guarded()).toEqual({ changed: true, behind: true })
    expect(warnings).toEqual([expect.stringContaining('and now its finality tag covers other blocks')])
    await guarded()
    expect(await readCursor(store.db, ethereum.chain.id)).toMatchObject(await ethereum.tip())
  })
})

test('a reorg deeper than the densely remembered blocks, and above the final one, rewinds automatically', async () => {
  const catchUp = async () => {
    while ((await watch()).behind);
  }
  said = 1024n
  await catchUp()
  const deposit = sightingsOf(order.destination.swapId).initiated()
  const kept = ethereum.mine(deposit)
  ethereum.grow(1200)
  ethereum.mine(sightingsOf(order.destination.swapId).redeemed('5e'.repeat(32)))
  await catchUp()
  const facts = async () => (await loadFacts(store.db, registry, [await found()], NOW))[0]?.events.destination ?? []
  expect(await facts()).toHaveLength(2)
  ethereum.drop(900)
  ethereum.grow(950)
  await catchUp()
  expect(await readCursor(store.db, ethereum.chain.id)).toMatchObject(await ethereum.tip())
  expect((await facts()).map((event) => event.block?.hash)).toEqual([kept.hash])
  // Old blocks are kept sparsely, and none below the final one.
  said = (await ethereum.tip()).height
  ethereum.grow(1)
  await watch()
  expect((await readBlocks(store.db, ethereum.chain.id)).length).toBeLessThanOrEqual(REMEMBERED_BLOCKS + 8)
})

test('a reorg below the first block we ever read, and above the final one, rewinds too', async () => {
  said = 1040n
  await watch()
  ethereum.drop(ethereum.chain.finalityBlocks * 2)
  const mined = ethereum.mine(sightingsOf(order.destination.swapId).initiated())
  ethereum.grow(30)
  while ((await watch()).behind);
  expect(await readCursor(store.db, ethereum.chain.id)).toMatchObject(await ethereum.tip())
  const [facts] = await loadFacts(store.db, registry, [await found()], NOW)
  expect(facts?.events.destination.map((event) => event.block?.hash)).toEqual([mined.hash])
})

test('an order stays open until the finality tag covers it, for all three ways to load its facts', async () => {
  const [source, destination] = [sightingsOf(order.source.swapId), sightingsOf(order.destination.swapId)]
  bitcoin.mine(source.initiated(), source.redeemed('5e'.repeat(32)))
  bitcoin.grow(bitcoin.chain.finalityBlocks)
  const mined = ethereum.mine(destination.initiated(), destination.redeemed('5e'.repeat(32)))
  ethereum.grow(ethereum.chain.finalityBlocks)
  const closedBy = async (finalHeight: bigint) => {
    said = finalHeight
    await Promise.all([watch(bitcoin), watch()])
    const [snapshot] = await findOrderSnapshots(store.db, [order.id])
    if (snapshot === undefined) throw new Error('the order is gone')
    const [loaded] = await loadFacts(store.db, registry, [await found()], NOW)
    return [loaded, factsOf(registry, snapshot, NOW), await live()].map((facts) => facts !== undefined && isClosed(deriveOrder(facts)))
  }
  expect(await closedBy(mined.height - 1n)).toEqual([false, false, false])
  expect(await closedBy(mined.height)).toEqual([true, true, true])
})
