/** Tests that sponsored initiations stay within the budget of their app. */
import { prefundedGrant, signedGrant } from '@tandem/protocol/grants.fixture.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { leaseAction, syncWanted } from '../actions/actions.ts'
import { finishAction } from '../actions/finish-action.ts'

import { noteReverted, readRevertedRelays } from '../actions/reverted-relays.ts'
import type { Database } from '../database/database.ts'
import { addGrant } from '../orders/grants.ts'
import { findOrder } from '../orders/orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { exampleOrder, NOW, putOrder, recordAttempt } from '../store.fixture.ts'
import { createApp } from './apps.ts'
import { addSponsoredInitiate, type Sponsor, type SponsorRefusal } from './sponsorship.ts'

const CHAIN = 'bitcoin_regtest'
const AMOUNT = 100_000_000n

const store = sharedStore()
let users = 0
beforeEach(async () => {
  for (const table of ['attempts', 'actions', 'grants', 'events', 'swaps', 'orders', 'apps'] as const)
    await store.db.deleteFrom(table).execute()
  for (const name of ['shop', 'rival', 'free']) await createApp(store.db, name)
})

type Made = { readonly initiator?: string; readonly asset?: string; readonly deadline?: bigint; readonly depositAddress?: string }
async function newOrder(app: string, given: Made = {}): Promise<string> {
  const { initiator = `user ${users++}`, asset = `${CHAIN}:btc`, depositAddress = null, ...rest } = given
  const { order } = exampleOrder()
  const terms = { ...order.source.terms, initiator, asset: asset as typeof order.source.terms.asset }
  return (await putOrder(store.db, { app, source: { terms, depositAddress }, ...rest })).order.id
}

type Asked = Partial<Pick<Sponsor, 'perDay' | 'spendable' | 'limits' | 'bindsRent'>> & { readonly db?: Database }
const ask = (app: string, id: string, { db = store.db, ...rest }: Asked = {}): Promise<SponsorRefusal | null> =>
  addSponsoredInitiate(
    db,
    id,
    { kind: 'signature', signature: 'signed' },
    { app, perDay: null, spendable: null, limits: relayLimits.byKey, ...rest },
  )
const secondsOf = (refusal: SponsorRefusal | null): number | null =>
  refusal !== null && 'retryAfterSeconds' in refusal ? refusal.retryAfterSeconds : null
const grant = async (app: string, perDay: number | null, id?: string) => secondsOf(await ask(app, id ?? (await newOrder(app)), { perDay }))
const isGranted = async (id: string) => (await findOrder(store.db, id))?.grants.length === 1
const age = (id: string, span: string) =>
  sql`update grants set created_at = now() - ${span}::interval where order_id = ${id}`.execute(store.db)

let sent = 0
async function send(id: string, outcome: 'unmined' | 'reverted', weight?: number): Promise<string> {
  await syncWanted(store.db, [id], [{ orderId: id, leg: 'source', verb: 'initiate' }])
  await store.db.updateTable('actions').set({ due_at: sql<Date>`now()` }).where('order_id', '=', id).execute()
  const leased = await leaseAction(store.db, 'engine', 60)
  if (leased?.orderId !== id) throw new Error('another action is due')
  const tx = `tx ${sent++}`
  const attempt = { tx, raw: 'raw', slots: [], feeRate: 1n, at: NOW, chain: CHAIN, sender: 'relay', holdsSecret: false }
  expect(await recordAttempt(store.db, [leased], attempt)).toBe(true)
  if (outcome === 'reverted') await noteReverted(store.db, [leased.key], tx, weight)
  await finishAction(store.db, leased, { kind: 'sent', tx, againInMs: 3_600_000 })
  return tx
}

describe('the budget of an app', () => {
  test('limits initiations in 24 hours per app, and says when there is budget again', async () => {
    const [first, second, third] = [await newOrder('shop'), await newOrder('shop'), await newOrder('shop')]
    expect([await ask('shop', first, { perDay: 2 }), await ask('shop', second, { perDay: 2 })]).toEqual([null, null])
    await age(first, '23 hours 59 minutes')
    await age(second, '1 hour')
    expect(await grant('shop', 2, third)).toSatisfy((seconds: number) => seconds > 50 && seconds <= 60)
    expect(await isGranted(third)).toBe(false)
    expect(await grant('shop', 1, third)).toSatisfy((seconds: number) => seconds > 22 * 3600)
    expect(await ask('rival', await newOrder('rival'), { perDay: 1 })).toBe(null)
    await age(first, '24 hours')
    expect(await ask('shop', third, { perDay: 2 })).toBe(null)
    expect(await isGranted(third)).toBe(true)
  })

  test('a signature that replaces a prefunded grant counts from then on', async () => {
    const id = await newOrder('shop')
    await addGrant(store.db, id, prefundedGrant(NOW))
    expect(await ask('shop', id, { perDay: 1 })).toBe(null)
    expect(await grant('shop', 1)).not.toBe(null)
    expect((await findOrder(store.db, id))?.grants).toMatchObject([{ consent: { kind: 'signature' } }])
  })

  test('a new signature for a granted order costs no budget and replaces the old one', async () => {
    const id = await newOrder('rival')
    await ask('rival', id)
    expect(
      await addSponsoredInitiate(
        store.db,
        id,
        { kind: 'signature', signature: 'signed anew' },
        { app: 'rival', perDay: 1, spendable: null, limits: relayLimits.byKey },
      ),
    ).toBe(null)
    expect((await findOrder(store.db, id))?.grants).toEqual([signedGrant('signed anew')])
  })

  test('concurrent requests do not exceed the budget', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => newOrder('free')))
    const answers = await Promise.all(ids.map((id, index) => ask('free', id, { perDay: 3, db: index % 2 === 0 ? store.db : store.other })))
    expect(answers.filter((refusal) => refusal === null)).toHaveLength(3)
  })

  test('a grant costs no budget once it is too late to send it', async () => {
    const id = await newOrder('shop', { deadline: 1n })
    await ask('shop', id)
    expect(await ask('shop', await newOrder('shop'), { perDay: 1 })).toBe(null)
    await sql`delete from grants where order_id <> ${id}`.execute(store.db)
    await send(id, 'unmined')
    expect(await grant('shop', 1)).toBeGreaterThan(86_000)
  })

  test('each reverted relay counts against the budget', async () => {
    const id = await newOrder('shop')
    await ask('shop', id)
    await send(id, 'reverted')
    await send(id, 'reverted')
    expect(await grant('shop', 3)).toBeGreaterThan(86_000)
    expect(await ask('shop', await newOrder('shop'), { perDay: 4 })).toBe(null)
  })

  test('a reverted relay that cost several times as much as usual counts as often', async () => {
    const id = await newOrder('shop')
    await ask('shop', id)
    await send(id, 'reverted', 5)
    expect(await grant('shop', 6)).toBeGreaterThan(86_000)
    expect(await ask('shop', await newOrder('shop'), { perDay: 7 })).toBe(null)
  })

  test('an order that binds rent counts until it is closed, however old it is', async () => {
    const id = await newOrder('shop')
    const swapId = (await findOrder(store.db, id))?.order.source.swapId ?? ''
    await ask('shop', id)
    await age(id, '90 days')
    const again = async (bindsRent: boolean) => secondsOf(await ask('shop', await newOrder('shop'), { perDay: 1, bindsRent }))
    const forget = () => sql`delete from grants where order_id <> ${id}`.execute(store.db)
    // The transaction is never mined, so no rent is bound.
    expect(await again(true)).toBe(null)
    await forget()
    const mined = { block_height: 7n, block_hash: 'h', block_time: 1n } as const
    const event = {
      chain: CHAIN,
      tx: 'tx',
      index: '0',
      swap_id: swapId,
      kind: 'initiated',
      deposit: 'd',
      amount: AMOUNT,
      ...mined,
    } as const
    await store.db.insertInto('events').values(event).execute()
    expect(await again(true)).toBeGreaterThan(0)
    expect(await again(false)).toBe(null)
    await forget()
    await sql`update orders set closed_at = now() where id = ${id}`.execute(store.db)
    expect(await again(true)).toBe(null)
  })

  test('a prefunded grant costs no budget', async () => {
    await addGrant(store.db, await newOrder('free'), prefundedGrant(NOW))
    expect(await ask('free', await newOrder('free'), { perDay: 1 })).toBe(null)
  })
})

describe('one initiator', () => {
  const alice = { initiator: 'alice' }

  test('cannot pledge the same balance twice, in any app', async () => {
    const [first, second, third] = [await newOrder('shop', alice), await newOrder('rival', alice), await newOrder('rival')]
    expect(await ask('shop', first, { spendable: AMOUNT })).toBe(null)
    expect(await ask('rival', second, { spendable: 2n * AMOUNT - 1n })).toEqual({
      kind: 'pledged',
      spendable: 2n * AMOUNT - 1n,
      pledged: AMOUNT,
    })
    expect(await isGranted(second)).toBe(false)
    // A repeated request, another user or another token does not use this balance.
    expect(await ask('shop', first, { spendable: AMOUNT })).toBe(null)
    expect(await ask('rival', third, { spendable: AMOUNT })).toBe(null)
    expect(await ask('shop', await newOrder('shop', { ...alice, asset: `${CHAIN}:other` }), { spendable: AMOUNT })).toBe(null)
    expect(await ask('rival', second, { spendable: 2n * AMOUNT })).toBe(null)
  })

  test('cannot pledge the same balance by concurrent requests', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, index) => newOrder(index % 2 === 0 ? 'shop' : 'rival', alice)))
    const answers = await Promise.all(
      ids.map((id, index) => ask(index % 2 === 0 ? 'shop' : 'rival', id, { spendable: AMOUNT, db: index < 2 ? store.db : store.other })),
    )
    expect(answers.filter((refusal) => refusal === null)).toHaveLength(1)
  })

  test('can use the balance for other orders once the first is mined or past its deadline', async () => {
    const [first, second, third] = [await newOrder('shop', alice), await newOrder('shop', alice), await newOrder('shop', alice)]
    const swapId = (await findOrder(store.db, first))?.order.source.swapId ?? ''
    await ask('shop', first)
    const event = { chain: CHAIN, tx: 'tx', index: '0', swap_id: swapId, kind: 'initiated', deposit: 'd', amount: AMOUNT } as const
    await store.db.insertInto('events').values(event).execute()
    expect(await ask('shop', second, { spendable: AMOUNT })).toMatchObject({ kind: 'pledged' })
    await store.db.updateTable('events').set({ block_height: 7n, block_hash: 'h', block_time: 1n }).execute()
    expect(await ask('shop', second, { spendable: AMOUNT })).toBe(null)
    await sql`update orders set deadline = 1 where id = ${second}`.execute(store.db)
    expect(await ask('shop', third, { spendable: AMOUNT })).toBe(null)
  })

  test('has at most three unmined relays', async () => {
    for (let times = 0; times < 3; times += 1) expect(await ask('shop', await newOrder('shop', alice))).toBe(null)
    expect(await ask('rival', await newOrder('rival', alice))).toEqual({ kind: 'unmined', count: 3 })
  })

  test('whose contract decides about the signature has one unmined relay at a time, and none for a day after a revert', async () => {
    const limits = relayLimits.byContract
    const id = await newOrder('shop', alice)
    expect(await ask('shop', id, { limits })).toBe(null)
    expect(await ask('rival', await newOrder('rival', alice), { limits })).toEqual({ kind: 'unmined', count: 1 })
    await send(id, 'reverted')
    expect(await ask('rival', await newOrder('rival', alice), { limits })).toMatchObject({ kind: 'reverts', count: 1 })
  })

  test('whose relays reverted three times gets no more for a day, for any order, even if a later relay is sent', async () => {
    const id = await newOrder('shop', alice)
    await ask('shop', id)
    const txs = [await send(id, 'reverted'), await send(id, 'reverted')]
    const other = await newOrder('rival', alice)
    expect(await ask('rival', other)).toBe(null)
    txs.push(await send(other, 'reverted'))
    await send(other, 'unmined')
    // A repeated note does not count again.
    await noteReverted(store.db, [`${id}/source/initiate`], txs[0] ?? '')
    expect(await readRevertedRelays(store.db, CHAIN, 'alice')).toHaveLength(3)
    const refused = await ask('free', await newOrder('free', alice))
    expect(refused).toMatchObject({ kind: 'reverts', count: 3 })
    expect(secondsOf(refused)).toBeGreaterThan(86_000)
    expect(await ask('shop', await newOrder('shop'))).toBe(null)
    await sql`update attempts set reverted_at = now() - interval '24 hours' where tx = ${txs[0]}`.execute(store.db)
    expect(await ask('free', await newOrder('free', alice))).toBe(null)
  })

  test('is not limited by what strangers pay at deposit addresses of orders in its name, nor are other deposits; the app is', async () => {
    const deposit = { ...alice, depositAddress: 'an address' }
    const grantDeposit = async (id: string, perDay: number | null = null) =>
      addSponsoredInitiate(store.db, id, prefundedGrant(NOW).consent, { app: 'shop', perDay, spendable: null, limits: null })
    for (let times = 0; times < 4; times += 1) {
      const id = await newOrder('shop', deposit)
      expect(await grantDeposit(id)).toBe(null)
      await send(id, 'reverted')
    }
    expect(await readRevertedRelays(store.db, CHAIN, 'alice')).toEqual([])
    expect(await ask('rival', await newOrder('rival', alice), { spendable: AMOUNT })).toBe(null)
    expect(await grantDeposit(await newOrder('shop', deposit))).toBe(null)
    expect(await grantDeposit(await newOrder('shop', deposit), 9)).toMatchObject({ kind: 'budget' })
    expect(await grantDeposit(await newOrder('shop', deposit), 10)).toBe(null)
  })
})
