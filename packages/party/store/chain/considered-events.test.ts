/** Tests which deposits of a flood the database stores and reads. */
import { considerDeposits, type Initiation, MAX_UNCONFIRMED } from '@tandem/protocol/considered.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { beforeEach, expect, test } from 'vitest'
import { recordProposal } from '../orders/fills.ts'
import { closeOrders, findOrder, findOrderSnapshots } from '../orders/orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, putOrder, sightingsOf } from '../store.fixture.ts'
import { MAX_EVENTS_READ } from './considered-events.ts'
import { readEvents, readSwapEvents, readSwapFacts, recordPoll } from './events.ts'

const chain = 'bitcoin_regtest'
const DUST = 1_000
const store = sharedStore()
let order: Order
beforeEach(async () => {
  for (const table of ['fills', 'events', 'blocks', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  order = (await putOrder(store.db)).order
})

const deposit = (name: string, amount: bigint, height: bigint | null): Initiation => ({
  ...(sightingsOf(order.source.swapId, height === null ? null : blockOf(height)).initiated(amount) as Initiation),
  tx: name,
  deposit: name,
})
const spendOf = ({ deposit: id }: HtlcEvent): HtlcEvent => ({
  ...sightingsOf(order.source.swapId, blockOf(3n)).refunded(),
  tx: `spend of ${id}`,
  deposit: id,
})
const amounts = [546n, 1000n, 546n, 5_000_000n, 100_000_000n, 700n]
const flood = () =>
  Array.from({ length: DUST }, (_, n) => deposit(`deposit ${(n * 7919) % DUST}`, amounts[n % amounts.length] ?? 0n, 1n + BigInt(n % 3)))
const record = (events: readonly HtlcEvent[], unconfirmed: readonly HtlcEvent[] = []) =>
  recordPoll(store.db, { chain, after: null, blocks: [blockOf(3n)], events, unconfirmed })
const inChainOrder = (a: HtlcEvent, b: HtlcEvent) => Number((a.block?.height ?? 99n) - (b.block?.height ?? 99n)) || (a.tx < b.tx ? -1 : 1)
const namesOf = (events: readonly HtlcEvent[]) => events.map(({ tx }) => tx).toSorted()

test('the database reads only those deposits that the protocol considers, with their spends', async () => {
  const all = flood()
  const filled = all.filter(({ amount }) => amount === 546n).slice(-2)
  await record([...all, ...all.slice(0, 400).map(spendOf)], [deposit('unmined', 1n, null)])
  await recordProposal(
    store.db,
    order.id,
    { deposits: filled.map((event) => event.deposit), blockHash: 'hash', destinationAmount: 1n },
    { amount: 1n, swapId: 'other' },
  )
  const considered = considerDeposits([...all, deposit('unmined', 1n, null)].toSorted(inChainOrder), {
    amount: order.source.terms.amount,
    filled: filled.map((event) => event.deposit),
  })
  const ids = new Set(considered.map((event) => event.deposit))
  const expected = [
    ...considered,
    ...all
      .slice(0, 400)
      .filter((event) => ids.has(event.deposit))
      .map(spendOf),
  ]
  const [read] = [...(await readSwapEvents(store.db, [order.source])).values()]
  expect(namesOf(read?.events ?? [])).toEqual(namesOf(expected))
  expect(read?.unreadDeposits).toBe(DUST + 1 - considered.length)
  const facts = await readSwapFacts(store.db, order.source)
  expect(namesOf(facts?.events ?? [])).toEqual(namesOf(expected))
  expect(facts).toMatchObject({ cursor: blockOf(3n), unreadDeposits: DUST + 1 - considered.length })
  const [snapshot] = await findOrderSnapshots(store.db, [order.id])
  expect(namesOf(snapshot?.events.source ?? [])).toEqual(namesOf(expected))
  expect(snapshot?.unreadDeposits).toEqual({ source: DUST + 1 - considered.length, destination: 0 })
})

test('up to a number of events all are read', async () => {
  const all = flood().slice(0, MAX_EVENTS_READ)
  await record(all)
  expect([...(await readEvents(store.db, [order.source])).values()].flat()).toHaveLength(MAX_EVENTS_READ)
  expect((await findOrderSnapshots(store.db, [order.id]))[0]?.events.source).toHaveLength(MAX_EVENTS_READ)
})

test('the largest of very many unconfirmed deposits are recorded, and the secret of each spend', async () => {
  const unmined = Array.from({ length: 200 }, (_, n) => deposit(`unmined ${n}`, BigInt(1 + ((n * 77) % 200)), null))
  const spend = { ...sightingsOf(order.source.swapId).redeemed('5e'.repeat(32)), deposit: 'unmined 0' }
  await record([], [...unmined, spend])
  const events = [...(await readEvents(store.db, [order.source])).values()].flat()
  const largest = unmined.filter(({ amount }) => amount > BigInt(200 - MAX_UNCONFIRMED))
  expect(namesOf(events)).toEqual(namesOf([...largest, spend]))
  expect((await findOrder(store.db, order.id))?.seenSecret).toBe('5e'.repeat(32))
})

test('an order is closed only with all its deposits counted, also those that were not read', async () => {
  await record(flood())
  await store.db.deleteFrom('touched_orders').execute()
  const close = (deposits: number) => closeOrders(store.db, [{ id: order.id, chains: [chain], deposits }], [])
  await close(DUST - 1)
  expect((await findOrder(store.db, order.id))?.closed).toBe(false)
  await close(DUST)
  expect((await findOrder(store.db, order.id))?.closed).toBe(true)
})
