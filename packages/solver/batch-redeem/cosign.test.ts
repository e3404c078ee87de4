/** Tests which batch redeems the solver drafts, signs and stores. */
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Purpose } from '@tandem/keys/purpose.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { leaseAction, readAction, syncWanted } from '@tandem/party/store/actions/actions.ts'
import { findCosigned } from '@tandem/party/store/actions/batches.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { NOW, recordAttempt, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { acceptOrder, type OrderContext } from '../orders.ts'
import { caller, fillFor, freshSolver, orderRequest } from '../solver.fixture.ts'
import { draftCosigned, takeCosigned } from './cosign.ts'

const store = sharedStore()
const solver = freshSolver(store)
let context: OrderContext
let drafted: (readonly RedeemItem[])[]
let purposes: Purpose[]
beforeEach(async () => {
  drafted = []
  purposes = []
  const cosignedRedeem: NonNullable<ChainClient['cosignedRedeem']> = {
    send: async () => 'not asked for',
    isOffer: async (offer) => offer === 'offer',
    async draft(items, signer) {
      if (items.some(({ offer }) => offer !== 'offer')) throw new TandemError('bad_request', 'not an offer')
      expect(signer.publicKey).toEqual(context.keys.of(solver.bitcoin).publicKey)
      drafted.push(items)
      purposes.push(signer.purpose)
      return 'draft'
    },
    cosign: () => {
      throw new Error('not asked for')
    },
    async verify(transaction) {
      if (transaction !== 'aa') throw new TandemError('bad_request', 'it does not pay the solver')
    },
  }
  const clients = new Map(solver.context.clients).set('bitcoin_regtest', { ...solver.bitcoin, cosignedRedeem })
  context = { ...solver.context, clients }
})

const watch = async () => {
  for (const client of [solver.bitcoin, solver.ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
/** The user has redeemed the destination of this order, and the solver has not redeemed the source. */
async function redeemedByUser(): Promise<{ readonly order: Order; readonly secret: string }> {
  const secret = createSecret()
  const request = orderRequest({ secret_hash: hashSecret(secret), order_id: hashSecret(createSecret()) })
  await acceptOrder(context, request, caller)
  const order = (await findOrder(store.db, request.order_id))?.order
  if (order === undefined) throw new Error('the order was not stored')
  await watch()
  solver.bitcoin.mine(sightingsOf(order.source.swapId).initiated(order.source.terms.amount))
  await watch()
  await fillFor(solver, order)
  solver.ethereum.mine(sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount))
  solver.ethereum.mine(sightingsOf(order.destination.swapId).redeemed(secret))
  await watch()
  return { order, secret }
}
const offerOf = ({ id, source }: Order, amount = source.terms.amount) => ({
  order_id: id,
  deposits: [{ id: `deposit of ${source.swapId}`, amount: amount.toString() }],
  offer: 'offer',
})
const draft = async (...items: readonly ReturnType<typeof offerOf>[]) => (await draftCosigned(context, { items: [...items] }, caller)).draft

test('drafts one transaction for all offered orders whose secret is known', async () => {
  const [first, second] = [await redeemedByUser(), await redeemedByUser()]
  expect(await draft(offerOf(first.order), offerOf(second.order))).toBe('draft')
  expect(drafted).toEqual([
    [first, second].map(({ order, secret }) => ({
      terms: order.source.terms,
      deposits: [{ id: `deposit of ${order.source.swapId}`, amount: 1_000_000n }],
      secret,
      offer: 'offer',
    })),
  ])
  const actionOf = ({ id, source }: Order) => ({ order: id, leg: 'source', verb: 'cosigned-redeem', terms: source.terms })
  expect(purposes).toEqual([{ kind: 'order', chain: 'bitcoin_regtest', actions: [actionOf(first.order), actionOf(second.order)] }])
})

test('leaves out orders whose amount differs or whose redeem is sent already', async () => {
  const { order } = await redeemedByUser()
  expect(await draft(offerOf(order, 5n))).toBeNull()
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'redeem' }])
  const action = await leaseAction(store.db, 'me', 60)
  if (action === null) throw new Error('nothing to lease')
  const attempt = {
    tx: 'sent',
    raw: 'raw',
    slots: [],
    feeRate: 1n,
    at: NOW,
    chain: order.source.chain,
    sender: 'me',
    holdsSecret: false,
  }
  await recordAttempt(store.db, [action], attempt)
  expect(await draft(offerOf(order))).toBeNull()
  expect(drafted).toEqual([])
})

test('leaves out an order whose offer the family cannot read, and drafts the others', async () => {
  const [bad, good] = [(await redeemedByUser()).order, (await redeemedByUser()).order]
  const unreadable = { ...offerOf(bad), offer: 'nonsense' }
  expect(await draft(unreadable)).toBeNull()
  expect(drafted).toEqual([])
  expect(await draft(unreadable, offerOf(good))).toBe('draft')
  expect(drafted.map((items) => items.map(({ terms }) => terms))).toEqual([[good.source.terms]])
  expect(purposes).toMatchObject([{ actions: [{ order: good.id }] }])
})

test('stores a complete transaction for each of its orders, due at once', async () => {
  const orders = [(await redeemedByUser()).order, (await redeemedByUser()).order]
  const ids = orders.map(({ id }) => id)
  await syncWanted(
    store.db,
    ids,
    ids.map((orderId) => ({ orderId, leg: 'source', verb: 'redeem' })),
  )
  await takeCosigned(context, { order_ids: ids, transaction: 'aa' }, caller)
  for (const id of ids) {
    expect(await findCosigned(store.db, id)).toBe('aa')
    expect(await readAction(store.db, actionKey(id, 'source', 'redeem'))).toMatchObject({ wanted: true })
  }
})

describe('refuses and stores nothing', () => {
  test('a transaction that does not pay the solver', async () => {
    const { order } = await redeemedByUser()
    await expect(takeCosigned(context, { order_ids: [order.id], transaction: 'bb' }, caller)).rejects.toMatchObject({ code: 'bad_request' })
    expect(await findCosigned(store.db, order.id)).toBeNull()
  })

  test('an unknown order', async () => {
    const { order } = await redeemedByUser()
    const order_ids = [order.id, '0'.repeat(64)]
    await expect(takeCosigned(context, { order_ids, transaction: 'aa' }, caller)).rejects.toMatchObject({ code: 'not_found' })
    expect(await findCosigned(store.db, order.id)).toBeNull()
  })

  test('an order whose secret is not public', async () => {
    const request = orderRequest()
    await acceptOrder(context, request, caller)
    await expect(takeCosigned(context, { order_ids: [request.order_id], transaction: 'aa' }, caller)).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test.each(['cosigned redeems of a service', 'completed cosigned redeems of a service'])('more than 3000 a minute: %s', async (name) => {
    const { order } = await redeemedByUser()
    const used = { name, signings: 3_000n, ends_at: new Date(Date.now() + 60_000) }
    await store.db
      .insertInto('signing_counts')
      .values(used)
      .onConflict((known) => known.column('name').doUpdateSet(used))
      .execute()
    const asked =
      name === 'cosigned redeems of a service'
        ? draftCosigned(context, { items: [offerOf(order)] }, caller)
        : takeCosigned(context, { order_ids: [order.id], transaction: 'aa' }, caller)
    await expect(asked).rejects.toMatchObject({ code: 'rate_limited', message: expect.stringContaining('more than 3000') })
    expect([drafted, await findCosigned(store.db, order.id)]).toEqual([[], null])
    await store.db.deleteFrom('signing_counts').execute()
  })

  test('a chain without batch redeem', async () => {
    const { order } = await redeemedByUser()
    await expect(draftCosigned(solver.context, { items: [offerOf(order)] }, caller)).rejects.toMatchObject({ code: 'bad_request' })
  })
})
