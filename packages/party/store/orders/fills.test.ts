/** Tests how proposed and signed fills are stored. */
import type { Fill } from '@tandem/protocol/fill.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { readCursor, readEvents, recordPoll } from '../chain/events.ts'
import { findWatched, ID_END, readExpected } from '../chain/watched.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, putOrder, sightingsOf, storedOrder } from '../store.fixture.ts'
import { dropProposal, recordDecline, recordOwnFill, recordProposal, recordSignature } from './fills.ts'
import { findOrder, findOrderSnapshots } from './orders.ts'

const scope = { chain: 'ethereum_localnet', partialDeposits: false }
const store = sharedStore()
let orderId: string
let swapId: string
beforeEach(async () => {
  const { order } = await putOrder(store.db)
  orderId = order.id
  swapId = order.destination.swapId
})

const fill = (changes: Partial<Fill> = {}): Fill => ({
  deposits: ['first', 'second'],
  blockHash: 'the block of the second',
  destinationAmount: 98_000_000n,
  ...changes,
})
const scaled = (amount = 98_000_000n) => ({ amount, swapId: `${swapId} of ${amount}` })
const stored = () => storedOrder(store.db, orderId)
describe('a proposal', () => {
  test('is stored unsigned, with the destination that the solver would initiate', async () => {
    expect((await stored()).fill).toBeNull()
    expect(await recordProposal(store.db, orderId, fill(), scaled())).toBe(true)
    expect(await stored()).toMatchObject({
      fill: { ...fill(), signature: null },
      order: {
        source: { terms: { amount: 100_000_000n }, agreedAmount: 100_000_000n },
        destination: { swapId: scaled().swapId, terms: { amount: 98_000_000n }, agreedAmount: 100_000_000n },
      },
    })
  })

  test('is stored once: a second one changes nothing', async () => {
    await recordProposal(store.db, orderId, fill(), scaled())
    const before = await stored()
    expect(await recordProposal(store.db, orderId, fill({ deposits: ['third'] }), scaled(50n))).toBe(false)
    expect(await stored()).toEqual(before)
  })

  test('of several concurrent proposals one is stored, with its own destination', async () => {
    const amounts = [1n, 2n, 3n, 4n, 5n, 6n]
    const made = await Promise.all(
      amounts.map((amount, index) =>
        recordProposal(index % 2 === 0 ? store.db : store.other, orderId, fill({ destinationAmount: amount }), scaled(amount)),
      ),
    )
    expect(made.filter((first) => first)).toHaveLength(1)
    const amount = amounts[made.indexOf(true)] ?? 0n
    const { fill: recorded, order } = await stored()
    expect(recorded?.destinationAmount).toBe(amount)
    expect(order.destination).toMatchObject({ swapId: scaled(amount).swapId, terms: { amount } })
  })

  test('of another amount changes the watched destination HTLC at once', async () => {
    const { horizon } = await readExpected(store.db, scope.chain, null)
    await recordProposal(store.db, orderId, fill(), scaled())
    expect((await readExpected(store.db, scope.chain, horizon)).changed).toContain(scaled().swapId.slice(-ID_END))
    const { bySwapId } = await findWatched(store.db, scope, { swapIds: [swapId, scaled().swapId], deposits: [] })
    expect([...bySwapId.values()]).toMatchObject([{ swapId: scaled().swapId, terms: { amount: 98_000_000n } }])
  })

  test('selects the events of its own destination HTLC only', async () => {
    await recordProposal(store.db, orderId, fill(), scaled())
    const events = [swapId, scaled().swapId].map((id) => sightingsOf(id, blockOf(1n)).initiated())
    const { chain } = scope
    await recordPoll(store.db, { chain, after: await readCursor(store.db, chain), blocks: [blockOf(1n)], events, unconfirmed: [] })
    const [snapshot] = await findOrderSnapshots(store.db, [orderId])
    expect(snapshot?.events.destination.map((event) => event.swapId)).toEqual([scaled().swapId])
    expect([...(await readEvents(store.db, [{ chain, swapId: scaled().swapId }])).values()].flat()).toHaveLength(1)
  })

  test('can be dropped while unsigned, and replaced', async () => {
    await recordProposal(store.db, orderId, fill(), scaled())
    await dropProposal(store.db, orderId)
    expect((await stored()).fill).toBeNull()
    expect(await recordProposal(store.db, orderId, fill({ destinationAmount: 99n }), scaled(99n))).toBe(true)
    expect((await stored()).order.destination).toMatchObject({ swapId: scaled(99n).swapId, terms: { amount: 99n } })
  })

  test('does not affect another order', async () => {
    const { order: other } = await putOrder(store.db)
    await recordProposal(store.db, orderId, fill(), scaled())
    await recordSignature(store.db, other.id, fill(), 'signature')
    await dropProposal(store.db, other.id)
    expect((await stored()).fill).toEqual({ ...fill(), signature: null })
    expect((await findOrder(store.db, other.id))?.order.destination).toEqual(other.destination)
  })
})

describe("the solver's signature", () => {
  test('is stored, and cannot be replaced or dropped', async () => {
    await recordProposal(store.db, orderId, fill(), scaled())
    await recordSignature(store.db, orderId, fill(), 'signature')
    expect((await stored()).fill).toEqual({ ...fill(), signature: 'signature' })
    await recordSignature(store.db, orderId, fill(), 'another')
    await dropProposal(store.db, orderId)
    expect((await stored()).fill).toEqual({ ...fill(), signature: 'signature' })
    expect(await recordProposal(store.db, orderId, fill(), scaled())).toBe(false)
  })

  test.each<{ name: string; other: Partial<Fill> }>([
    { name: 'fewer deposits', other: { deposits: ['first'] } },
    { name: 'more deposits', other: { deposits: ['first', 'second', 'third'] } },
    { name: 'deposits in another sequence', other: { deposits: ['second', 'first'] } },
    { name: 'another amount', other: { destinationAmount: 98_000_001n } },
    { name: 'another block', other: { blockHash: 'a block that was there before' } },
  ])('for $name than proposed is ignored', async ({ other }) => {
    await recordProposal(store.db, orderId, fill(), scaled())
    await recordSignature(store.db, orderId, fill(other), 'signature')
    expect((await stored()).fill).toEqual({ ...fill(), signature: null })
  })

  test('of its own fill is stored once, together with the destination', async () => {
    const give = (amount: bigint, signature: string, fails = false) =>
      store.db.transaction().execute(async (tx) => {
        const given = await recordOwnFill(tx, orderId, fill({ destinationAmount: amount }), scaled(amount), signature)
        if (fails) throw new Error('lost')
        return given
      })
    await expect(give(97n, 'lost', true)).rejects.toThrow('lost')
    expect(await stored()).toMatchObject({ fill: null, order: { destination: { swapId, terms: { amount: 100_000_000n } } } })
    expect(await give(98n, 'signature')).toBe(true)
    expect(await give(99n, 'another signature')).toBe(false)
    expect(await stored()).toMatchObject({
      fill: { destinationAmount: 98n, signature: 'signature' },
      order: { destination: { swapId: scaled(98n).swapId, terms: { amount: 98n } } },
    })
  })

  test('for exactly the agreed amount does not change the watched swap', async () => {
    const version = () =>
      store.db.selectFrom('swaps').selectAll().where('order_id', '=', orderId).where('leg', '=', 'destination').executeTakeFirst()
    const before = await version()
    await recordProposal(store.db, orderId, fill({ destinationAmount: 100_000_000n }), { amount: 100_000_000n, swapId })
    expect(await version()).toEqual(before)
  })
})

test('stores the first reason of a decline only', async () => {
  expect((await stored()).declined).toBeNull()
  await recordDecline(store.db, orderId, 'the price has moved')
  await recordDecline(store.db, orderId, 'something else')
  expect((await stored()).declined).toBe('the price has moved')
})
