/** Tests which halts stop quotes and payments, and when they end. */

import { readCountedDeposits } from '@tandem/party/store/chain/counted-deposits.ts'
import { readCursor, recordPoll, rewind } from '@tandem/party/store/chain/events.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { putHalt, readHalts, removeHalts } from '@tandem/party/store/solver/halts.ts'
import { blockOf, NOW, putOrder, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { deriveOrder, OrderState } from '@tandem/protocol/state.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { beforeEach, expect, test } from 'vitest'
import { btc, freshSolver, unpriced, wbtc } from '../solver.fixture.ts'
import { createFeeWatch } from './breakers.ts'
import { type Halts, startHalts } from './halts.ts'
import { testRisk } from './risk.fixture.ts'

const store = sharedStore()
const solver = freshSolver(store)
let halts: Halts
let now: bigint
let priceHalt: string | null
const fees = createFeeWatch(10n)
const logged: string[] = []
beforeEach(async () => {
  await store.db.deleteFrom('halts').execute()
  now = NOW
  priceHalt = null
  logged.length = 0
  halts = startHalts({
    db: store.db,
    registry: solver.context.registry,
    log: testLog((line) => logged.push(line)),
    now: () => now,
    priceHalt: () => priceHalt,
    fees,
    refreshMs: 3_600_000,
  })
  return () => halts.stop()
})

const orderOf = (from: AssetId, to: AssetId) =>
  ({ order: { id: 'order', source: { terms: { asset: from } }, destination: { terms: { asset: to } } } }) as unknown as ReturnType<
    typeof deriveOrder
  >
const toWbtc: OrderState = orderOf(btc, wbtc)
const risk = () => testRisk(() => now, halts)

test('a halt by prices is as old as it is, also if nobody asked while there were prices', async () => {
  priceHalt = 'the sources are silent'
  await expect(risk().payCheck(toWbtc)).rejects.toThrow('silent')
  priceHalt = null
  await halts.refresh()
  now += 3600n
  priceHalt = 'silent again'
  await expect(risk().payCheck(toWbtc)).rejects.toThrow('silent again')
  now += 60n
  expect(await risk().payCheck(toWbtc)).toContain('silent again')
})

test('the operator halts everything, a chain or a pair: quotes after a refresh, locks at once, until it is resumed', async () => {
  // The clock of the database decides when the halt began. A payment does not wait for the end of a halt that the operator wants.
  now = BigInt(Math.floor(Date.now() / 1000))
  for (const scope of ['*', 'bitcoin_regtest', 'ethereum_localnet', `${btc}->${wbtc}`]) {
    await putHalt(store.db, { scope, cause: 'operator', reason: 'maintenance\nof nodes' })
    expect(halts.find(btc, wbtc)).toBeNull()
    expect(await risk().payCheck(toWbtc)).toBe(`halted (${scope}) by the operator of the solver`)
    await halts.refresh()
    expect(() => risk().assertOpen(btc, wbtc)).toThrow(
      expect.objectContaining({ code: 'chain_unavailable', message: `halted (${scope}) by the operator of the solver` }),
    )
    expect(await removeHalts(store.db, scope)).toBe(1)
    await halts.refresh()
    expect(halts.find(btc, wbtc)).toBeNull()
    expect(await risk().payCheck(toWbtc)).toBeNull()
  }
  expect(logged.filter((line) => line.includes('halted: no new') && line.includes('maintenance of nodes'))).toHaveLength(4)
  expect(logged.filter((line) => line.includes('"resumed"'))).toHaveLength(4)
})

test('a halt begins anew after an earlier one has ended: an order waits for it again', async () => {
  const put = (seconds: number) => putHalt(store.db, { scope: 'bitcoin_regtest', cause: 'deep reorg', reason: 'a', seconds })
  const age = () =>
    store.db
      .updateTable('halts')
      .set({ since: new Date(0) })
      .execute()
  const since = async () => (await readHalts(store.db))[0]?.since
  await put(60)
  await age()
  await put(60)
  expect(await since()).toBe(0n)
  await put(-1)
  await put(60)
  expect(await since()).toBeGreaterThan(NOW / 2n)
})

test('a halt of another chain, of the other direction, or one that has ended halts nothing', async () => {
  await putHalt(store.db, { scope: 'arbitrum_localnet', cause: 'operator', reason: 'a' })
  await putHalt(store.db, { scope: `${wbtc}->${btc}`, cause: 'operator', reason: 'b' })
  await putHalt(store.db, { scope: '*', cause: 'operator', reason: 'c', seconds: -1 })
  await halts.refresh()
  expect(halts.find(btc, wbtc)).toBeNull()
  expect(halts.find(wbtc, btc)).not.toBeNull()
})

test('a stuck head halts its chain while it lasts; a payment waits a minute for it, and is then refused', async () => {
  const block = blockOf(1n)
  await recordPoll(store.db, { chain: 'ethereum_localnet', after: null, blocks: [block], events: [], unconfirmed: [] })
  now = block.time + 601n
  await halts.refresh()
  expect(halts.find(btc, wbtc)).toMatchObject({ scope: 'ethereum_localnet', cause: 'stuck head' })
  expect(await readHalts(store.db)).toMatchObject([{ scope: 'ethereum_localnet', cause: 'stuck head' }])
  await expect(risk().payCheck(toWbtc)).rejects.toMatchObject({ kind: 'would-fail' })
  now += 60n
  await halts.refresh()
  expect(await risk().payCheck(toWbtc)).toContain('its newest block is')
  const next = { ...blockOf(2n), parentHash: block.hash, time: now }
  await recordPoll(store.db, { chain: 'ethereum_localnet', after: block, blocks: [next], events: [], unconfirmed: [] })
  await halts.refresh()
  expect([halts.find(btc, wbtc), await readHalts(store.db)]).toEqual([null, []])
})

test('the row of a condition that no process sees any more halts nothing, and is removed', async () => {
  await putHalt(store.db, { scope: 'ethereum_localnet', cause: 'stuck head', reason: 'a process died' })
  expect(await halts.readFor(toWbtc.order)).toBeNull()
  await halts.refresh()
  expect(await readHalts(store.db)).toEqual([])
})

test('a deep reorg halts its chain, also for other processes, until the operator resumes it', async () => {
  await halts.noteReorg('ethereum_localnet', { blocks: 3n, counted: [] })
  expect(halts.find(btc, wbtc)).toBeNull()
  await halts.noteReorg('ethereum_localnet', { blocks: 4n, counted: [] })
  expect(halts.find(btc, wbtc)).toMatchObject({ cause: 'deep reorg', reason: 'a reorg removed 4 blocks; deposits wait for 1' })
  expect((await readHalts(store.other))[0]?.until).not.toBeNull()
  await removeHalts(store.db, 'ethereum_localnet')
  await halts.refresh()
  expect(halts.find(btc, wbtc)).toBeNull()
})

test('a usual reorg halts its chain only while deposits that counted are in no block', async () => {
  const { chain, swapId } = (await putOrder(store.db)).order.source
  const deposit = sightingsOf(swapId).initiated()
  const block = { height: 7n, hash: 'block 7', parentHash: 'block 6', time: NOW }
  const poll = { chain, finalHeight: null, unconfirmed: [] }
  await recordPoll(store.db, { ...poll, after: null, blocks: [block], events: [{ ...deposit, block }] })
  expect(await readCountedDeposits(store.db, chain, { from: 8n, tip: 9n })).toEqual([])
  const counted = await readCountedDeposits(store.db, chain, { from: 7n, tip: 9n })
  expect(counted).toEqual([{ swapId, deposit: deposit.deposit }])
  await rewind(store.db, chain, { height: 6n, hash: 'block 6', parentHash: 'block 5', time: NOW })
  await halts.noteReorg(chain, { blocks: 2n, counted })
  expect(halts.find(btc, wbtc)).toMatchObject({ scope: chain, cause: 'lost deposits' })
  expect(await halts.readFor(toWbtc.order)).toMatchObject({ cause: 'lost deposits' })
  // Another reorg removes another deposit: both must be found again.
  const other = (await putOrder(store.db)).order.source.swapId
  await halts.noteReorg(chain, { blocks: 1n, counted: [{ swapId: other, deposit: sightingsOf(other).initiated().deposit }] })
  for (const [height, found] of [
    [8n, sightingsOf(other).initiated()],
    [9n, deposit],
  ] as const) {
    expect(halts.find(btc, wbtc)).toMatchObject({ cause: 'lost deposits' })
    const again = { height, hash: `another block ${height}`, parentHash: `another block ${height - 1n}`, time: NOW }
    await recordPoll(store.db, { ...poll, after: await readCursor(store.db, chain), blocks: [again], events: [{ ...found, block: again }] })
    await halts.refresh()
  }
  expect(halts.find(btc, wbtc)).toBeNull()
  expect(await halts.readFor(toWbtc.order)).toBeNull()
})

test('prices halt their pair, and a fee spike its chain', async () => {
  priceHalt = 'the sources disagree'
  expect(halts.find(btc, wbtc)).toMatchObject({ cause: 'prices', reason: 'the sources disagree', since: NOW })
  await halts.refresh()
  // This row is for the operator's view only.
  expect(await readHalts(store.db)).toMatchObject([{ scope: `${btc}->${wbtc}`, cause: 'prices', reason: 'the sources disagree' }])
  now += 61n
  expect(await risk().payCheck(toWbtc)).toContain('the sources disagree')
  priceHalt = null
  expect(await risk().payCheck(toWbtc)).toBeNull()
  await halts.refresh()
  expect(await readHalts(store.db)).toEqual([])
  for (const cost of [...Array.from({ length: 10 }, () => 7n), 70n]) fees.note('bitcoin_regtest', cost)
  await halts.refresh()
  expect(halts.find(btc, unpriced)).toMatchObject({ scope: 'bitcoin_regtest', cause: 'fee spike' })
  expect(halts.find(wbtc, unpriced)).toBeNull()
})
