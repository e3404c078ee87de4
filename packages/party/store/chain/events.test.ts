/** Tests how blocks, events and the cursor are recorded together. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { findOrder } from '../orders/orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, closeAnyway, putOrder, sightingsOf, withResults } from '../store.fixture.ts'
import { REMEMBERED_BLOCKS, readBlocks, readCursor, readEvents, readTips, recordPoll, rewind } from './events.ts'

const chain = 'bitcoin_regtest'
const store = sharedStore()
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
})

type Step = { readonly after?: Block | null; readonly blocks?: Block[]; readonly events?: HtlcEvent[]; readonly unconfirmed?: HtlcEvent[] }

async function listen({ after, blocks = [], events = [], unconfirmed = [] }: Step, db = store.db) {
  const from = after === undefined ? await readCursor(db, chain) : after
  const recorded = await recordPoll(db, { chain, after: from, blocks, events, unconfirmed })
  return recorded && { changed: recorded.changed }
}

const eventsOn = async (swapId: string, on = chain) => (await readEvents(store.db, [{ chain: on, swapId }])).get(`${on} ${swapId}`) ?? []
const heights = async () => (await readBlocks(store.db, chain)).map((block) => block.hash)

describe('the cursor', () => {
  test('is the newest recorded block of its chain', async () => {
    expect(await readCursor(store.db, chain)).toBeNull()
    await listen({ blocks: [blockOf(1n), blockOf(2n)] })
    expect(await readCursor(store.db, chain)).toEqual(blockOf(2n))
    expect(await readCursor(store.db, 'ethereum_localnet')).toBeNull()
    await recordPoll(store.db, { chain: 'ethereum_localnet', after: null, blocks: [blockOf(9n)], events: [], unconfirmed: [] })
    expect(await readTips(store.db)).toEqual(
      new Map([
        [chain, blockOf(2n)],
        ['ethereum_localnet', blockOf(9n)],
      ]),
    )
  })

  test.each<{ name: string; after: Block | null }>([
    { name: 'nothing', after: null },
    { name: 'an older block', after: blockOf(1n) },
    { name: 'another block of the same height', after: blockOf(2n, 'b') },
  ])('has moved: a poll that started from $name writes nothing', async ({ after }) => {
    await listen({ blocks: [blockOf(1n), blockOf(2n)], unconfirmed: [sightingsOf('s').initiated()] })
    const step = { after, blocks: [blockOf(3n)], events: [sightingsOf('s', blockOf(3n)).initiated()] }
    expect(await listen(step)).toBeNull()
    expect(await readCursor(store.db, chain)).toEqual(blockOf(2n))
    expect(await eventsOn('s')).toEqual([sightingsOf('s').initiated()])
  })

  test('is moved by one of two concurrent polls', async () => {
    await listen({ blocks: [blockOf(1n)] })
    const step = { after: blockOf(1n), blocks: [blockOf(2n)], events: [sightingsOf('s', blockOf(2n)).initiated()] }
    const results = await Promise.all([listen(step), listen(step, store.other), listen(step), listen(step, store.other)])
    expect(results.filter((result) => result === null)).toHaveLength(3)
    expect(await heights()).toEqual(['a2', 'a1'])
  })

  test('is not moved when an event cannot be written', async () => {
    await listen({ blocks: [blockOf(1n)] })
    const broken = { ...sightingsOf('s', blockOf(2n)).initiated(), kind: 'lost' } as unknown as HtlcEvent
    await expect(listen({ blocks: [blockOf(2n)], events: [sightingsOf('t', blockOf(2n)).initiated(), broken] })).rejects.toThrow()
    expect(await heights()).toEqual(['a1'])
    expect(await eventsOn('t')).toEqual([])
  })
})

describe('an event', () => {
  const [one, two] = [blockOf(1n), blockOf(2n)]

  test('moves from the mempool into a block, and into another block, without a duplicate', async () => {
    expect(await listen({ blocks: [one], unconfirmed: [sightingsOf('s').initiated()] })).toEqual({ changed: true })
    expect(await eventsOn('s')).toEqual([sightingsOf('s').initiated()])
    expect(await listen({ blocks: [two], events: [sightingsOf('s', two).initiated()] })).toEqual({ changed: true })
    expect(await eventsOn('s')).toEqual([sightingsOf('s', two).initiated()])
    const elsewhere = blockOf(3n, 'b')
    expect(await listen({ blocks: [elsewhere], events: [sightingsOf('s', elsewhere).initiated()] })).toEqual({ changed: true })
    expect(await eventsOn('s')).toEqual([sightingsOf('s', elsewhere).initiated()])
  })

  test('takes its expiry from its newest block', async () => {
    const expiring = (block: Block | null, expiresAt: bigint | null): HtlcEvent => {
      const event = sightingsOf('s', block).initiated()
      return { ...event, kind: 'initiated', amount: 1n, expiresAt }
    }
    await listen({ blocks: [one], unconfirmed: [expiring(null, null)] })
    expect(await eventsOn('s')).toEqual([expiring(null, null)])
    for (const [block, expiresAt] of [
      [two, 1_700_000_000_123n],
      [blockOf(3n, 'b'), 1_700_000_000_456n],
    ] as const) {
      await listen({ blocks: [block], events: [expiring(block, expiresAt)] })
      expect(await eventsOn('s')).toEqual([expiring(block, expiresAt)])
    }
  })

  test('takes its kind and secret from its newest block, because the witness may change', async () => {
    await listen({ blocks: [one], events: [sightingsOf('s', one).refunded()] })
    const again = { ...sightingsOf('s', two).refunded(), kind: 'redeemed', secret: '5e'.repeat(32) } as HtlcEvent
    await listen({ blocks: [two], events: [again] })
    expect(await eventsOn('s')).toEqual([again])
  })

  test('that is recorded again changes nothing', async () => {
    await listen({ blocks: [one], events: [sightingsOf('s', one).initiated()], unconfirmed: [sightingsOf('t').initiated()] })
    expect(await listen({ events: [sightingsOf('s', one).initiated()], unconfirmed: [sightingsOf('t').initiated()] })).toEqual({
      changed: false,
    })
  })

  test('is deleted when it is unconfirmed and not in the mempool any more; mined ones and other chains stay', async () => {
    await listen({ blocks: [one], events: [sightingsOf('mined', one).initiated()], unconfirmed: [sightingsOf('s').initiated()] })
    await recordPoll(store.db, {
      chain: 'ethereum_localnet',
      after: null,
      blocks: [one],
      events: [],
      unconfirmed: [sightingsOf('s').initiated()],
    })
    expect(await listen({})).toEqual({ changed: true })
    expect(await eventsOn('s')).toEqual([])
    expect(await eventsOn('mined')).toHaveLength(1)
    expect(await eventsOn('s', 'ethereum_localnet')).toHaveLength(1)
    expect(await listen({})).toEqual({ changed: false })
  })

  test('of each kind is read as it was recorded', async () => {
    const sightings = sightingsOf('s', one)
    const paid = { ...sightings.redeemed('6e'.repeat(32)), index: 'in:7', paid: 10n ** 60n } as HtlcEvent
    const events = [sightings.initiated(10n ** 60n), sightings.redeemed('5e'.repeat(32)), sightings.refunded(), paid]
    await listen({ blocks: [one], events })
    const found = await eventsOn('s')
    expect(found).toHaveLength(4)
    expect(found).toEqual(expect.arrayContaining(events))
    expect(await readEvents(store.db, [])).toEqual(new Map())
  })
})

describe('a secret', () => {
  const [first, second] = ['5e'.repeat(32), '6f'.repeat(32)]
  const seen = async (id: string) => (await findOrder(store.db, id))?.seenSecret

  test('stays known after its transaction vanished, and after a reorg', async () => {
    const [{ order: unmined }, { order: mined }, { order: bystander }] = [
      await putOrder(store.db),
      await putOrder(store.db),
      await putOrder(store.db),
    ]
    await listen({ blocks: [blockOf(1n)], unconfirmed: [sightingsOf(unmined.source.swapId).redeemed(first)] })
    await listen({ blocks: [blockOf(2n)], events: [sightingsOf(mined.source.swapId, blockOf(2n)).redeemed(second)] })
    await rewind(store.db, chain, blockOf(1n))
    await listen({})
    expect(await eventsOn(unmined.source.swapId)).toEqual([])
    expect(await eventsOn(mined.source.swapId)).toEqual([])
    expect(await seen(unmined.id)).toBe(first)
    expect(await seen(mined.id)).toBe(second)
    expect(await seen(bystander.id)).toBeNull()
  })

  test.each(['redeemed', 'refunded'] as const)('is stored with the time when a %s event shows it', async (kind) => {
    const { order } = await putOrder(store.db)
    const spend = { ...sightingsOf(order.source.swapId, blockOf(1n)).refunded(), kind, secret: first } as HtlcEvent
    await listen({ blocks: [blockOf(1n)], events: [spend] })
    expect(await seen(order.id)).toBe(first)
    expect(await eventsOn(order.source.swapId)).toEqual([spend])
    const row = await store.db.selectFrom('orders').select('seen_secret_at').where('id', '=', order.id).executeTakeFirst()
    expect(row?.seen_secret_at).toBeInstanceOf(Date)
  })

  test('that a chain shows replaces one that somebody wrote', async () => {
    const { order } = await putOrder(store.db)
    await store.db.updateTable('orders').set({ seen_secret: second, seen_secret_at: new Date() }).where('id', '=', order.id).execute()
    await listen({ blocks: [blockOf(1n)], events: [sightingsOf(order.source.swapId, blockOf(1n)).redeemed(first)] })
    expect(await seen(order.id)).toBe(first)
  })

  test('may be missing in a redeem', async () => {
    const { order } = await putOrder(store.db)
    const spend = { ...sightingsOf(order.source.swapId, blockOf(1n)).refunded(), kind: 'redeemed', secret: null } as HtlcEvent
    await listen({ blocks: [blockOf(1n)], events: [spend] })
    expect(await seen(order.id)).toBeNull()
    expect(await eventsOn(order.source.swapId)).toEqual([spend])
  })

  test('of a swap with the same id on another chain is ignored', async () => {
    const { order } = await putOrder(store.db)
    await listen({ blocks: [blockOf(1n)], events: [sightingsOf(order.destination.swapId, blockOf(1n)).redeemed(first)] })
    expect(await seen(order.id)).toBeNull()
  })
})

test('keeps the newest REMEMBERED_BLOCKS blocks and deletes older ones', async () => {
  const blocks = Array.from({ length: REMEMBERED_BLOCKS + 5 }, (_, index) => blockOf(BigInt(index + 1)))
  await listen({ blocks: blocks.slice(0, REMEMBERED_BLOCKS) })
  expect(await heights()).toHaveLength(REMEMBERED_BLOCKS)
  await listen({ blocks: blocks.slice(REMEMBERED_BLOCKS) })
  const kept = await store.db.selectFrom('blocks').select('height').orderBy('height').execute()
  expect(kept).toHaveLength(REMEMBERED_BLOCKS)
  expect(kept[0]?.height).toBe(6n)
})

describe('a closed order', () => {
  const isOpen = async (id: string) => (await findOrder(store.db, id))?.closed === false
  const [one, two] = [blockOf(1n), blockOf(2n)]

  test('is reopened by a new event, and not by a known one', async () => {
    const [{ order }, { order: bystander }] = [await putOrder(store.db), await putOrder(store.db)]
    await listen({ blocks: [one], events: [sightingsOf(order.source.swapId, one).initiated()] })
    for (const id of [order.id, bystander.id]) await closeAnyway(store.db, id)
    await listen({ blocks: [two], events: [sightingsOf(order.source.swapId, one).initiated()] })
    expect(await isOpen(order.id)).toBe(false)
    const late = { ...sightingsOf(order.source.swapId).initiated(), tx: 'late', deposit: 'late' }
    await listen({ unconfirmed: [late] })
    expect(await isOpen(order.id)).toBe(true)
    expect(await isOpen(bystander.id)).toBe(false)
  })

  test('is reopened when a reorg removes one of its events', async () => {
    const [{ order }, { order: bystander }] = [await putOrder(store.db), await putOrder(store.db)]
    await listen({ blocks: [one], events: [sightingsOf(bystander.source.swapId, one).initiated()] })
    await listen({ blocks: [two], events: [sightingsOf(order.source.swapId, two).initiated()] })
    for (const id of [order.id, bystander.id]) await closeAnyway(store.db, id)
    await rewind(store.db, chain, one)
    expect(await isOpen(order.id)).toBe(true)
    expect(await isOpen(bystander.id)).toBe(false)
  })

  test('stays closed when the poll is not recorded', async () => {
    const { order } = await putOrder(store.db)
    await listen({ blocks: [one] })
    await closeAnyway(store.db, order.id)
    const late = sightingsOf(order.source.swapId, two).initiated()
    const broken = { ...sightingsOf('s', two).initiated(), kind: 'lost' } as unknown as HtlcEvent
    await expect(listen({ blocks: [two], events: [late, broken] })).rejects.toThrow()
    expect(await isOpen(order.id)).toBe(false)
  })
})

test('a rewind deletes exactly the blocks and events above the ancestor, on one chain', async () => {
  const [one, two, three] = [blockOf(1n), blockOf(2n), blockOf(3n)]
  const events = [one, two, three].map((block) => sightingsOf(`at ${block.height}`, block).initiated())
  await listen({ blocks: [one, two, three], events, unconfirmed: [sightingsOf('unmined').initiated()] })
  await recordPoll(store.db, {
    chain: 'ethereum_localnet',
    after: null,
    blocks: [three],
    events: [sightingsOf('other', three).initiated()],
    unconfirmed: [],
  })
  await rewind(store.db, chain, two)
  expect(await heights()).toEqual(['a2', 'a1'])
  expect(await eventsOn('at 1')).toHaveLength(1)
  expect(await eventsOn('at 2')).toHaveLength(1)
  expect(await eventsOn('at 3')).toEqual([])
  expect(await eventsOn('unmined')).toHaveLength(1)
  expect(await eventsOn('other', 'ethereum_localnet')).toHaveLength(1)
  expect(await readCursor(store.db, 'ethereum_localnet')).toEqual(three)
})

test('the number of statements does not grow with the number of events', async () => {
  let statements = 0
  const counted = withResults(store.db, () => {
    statements += 1
  })
  const orders = await Promise.all(Array.from({ length: 3 }, () => putOrder(store.db)))
  const many = (name: string, block: Block | null) =>
    orders.flatMap(({ order: { source } }) =>
      Array.from({ length: 20 }, (_, n) => {
        const spent = { ...sightingsOf(source.swapId, block).redeemed('5e'.repeat(32)), tx: `${name} spend ${n} of ${source.swapId}` }
        return [{ ...sightingsOf(source.swapId, block).initiated(), tx: `${name} ${n} of ${source.swapId}` }, spent]
      }).flat(),
    )
  const statementsOf = async (step: Step) => {
    statements = 0
    await listen(step, counted)
    return statements
  }
  await listen({ unconfirmed: [sightingsOf('gone').initiated()] })
  const few = await statementsOf({
    blocks: [blockOf(1n)],
    events: many('few', blockOf(1n)).slice(0, 2),
    unconfirmed: many('few unmined', null).slice(0, 2),
  })
  const all = await statementsOf({
    blocks: [blockOf(2n)],
    events: many('many', blockOf(2n)),
    unconfirmed: many('many unmined', null),
  })
  expect(all).toBe(few)
  for (const { order } of orders) expect((await findOrder(store.db, order.id))?.seenSecret).toBe('5e'.repeat(32))
  const { rows } = await sql<{ count: bigint }>`select count(*) from events where block_hash is null`.execute(store.db)
  expect(rows).toEqual([{ count: 120n }])
})

test('reads the events of 70,000 swaps in one query', async () => {
  const swaps = Array.from({ length: 70_000 }, (_, index) => ({ chain, swapId: `swap ${index}` }))
  expect(await readEvents(store.db, swaps)).toEqual(new Map())
})
