/** Tests every call of the protocol, made by a second known service about an order of the first. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey, type SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import type { solverRoutes } from '@tandem/protocol/wire/solver-routes.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createChanges } from './changes.ts'
import { createSolverServer } from './server.ts'
import { btc, freshSolver, orderRequest, wbtc } from './solver.fixture.ts'

const solverKey = createSigningKey('51'.repeat(32))
const maker = createSigningKey('52'.repeat(32))
const hostile = createSigningKey('53'.repeat(32))
const store = sharedStore()
const solver = freshSolver(store)
let server: ReturnType<typeof createSolverServer>
beforeEach(async () => {
  const cosignedRedeem: NonNullable<ChainClient['cosignedRedeem']> = {
    send: async () => 'not asked for',
    isOffer: async () => true,
    draft: async () => 'draft',
    cosign: () => {
      throw new Error('not asked for')
    },
    verify: async () => undefined,
  }
  const clients = new Map(solver.context.clients).set('bitcoin_regtest', { ...solver.bitcoin, cosignedRedeem })
  server = createSolverServer({
    context: { ...solver.context, clients },
    authentication: {
      key: solverKey,
      services: [
        { id: 'maker', publicKey: maker.publicKey },
        { id: 'hostile', publicKey: hostile.publicKey },
      ],
    },
    log: createLogger({ name: 'test', pretty: false, level: 'silent' }),
    chainHealthy: () => true,
    admits: () => true,
    changes: createChanges(1),
    onHint: () => undefined,
    announcedChains: () => [],
  })
  return () => server.close()
})

type Call = { readonly path: string; readonly body?: unknown }

async function as(key: SigningKey, { path, body }: Call) {
  const method = body === undefined ? 'GET' : 'POST'
  const payload = body === undefined ? '' : JSON.stringify(body)
  const signed = signRequest(key, { method, target: path, body: payload, recipient: solverKey.publicKey, waitMs: 5_000, nowMs: Date.now() })
  const headers = { ...signed, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const answer = await server.inject({ method, url: path, headers, ...(body !== undefined && { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}

type Made = ReturnType<typeof orderRequest>
const quote = { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: false }
const depositOf = async (id: string) =>
  (await store.db.selectFrom('swaps').select(['swap_id', 'leg']).where('order_id', '=', id).execute()).find(({ leg }) => leg === 'source')
    ?.swap_id ?? 'none'

const calls: Readonly<
  Record<keyof typeof solverRoutes, { readonly about: (order: Made, deposit: string) => Call } | { readonly call: Call }>
> = {
  quote: { call: { path: '/v1/quote', body: quote } },
  order: { call: { path: '/v1/orders', body: orderRequest() } },
  fill: {
    about: ({ order_id: id }, deposit) => ({
      path: `/v1/orders/${id}/fill`,
      body: { deposits: [deposit], block_hash: 'b', destination_amount: '980000' },
    }),
  },
  instantRefund: {
    about: ({ order_id: id }, deposit) => ({
      path: `/v1/orders/${id}/instant-refund`,
      body: { refunds: [{ deposit, amount: '1000000', to: 'fake1aliceaaaaa', pays: '999000' }], offer: null },
    }),
  },
  cosign: {
    about: ({ order_id: id }, deposit) => ({
      path: '/v1/cosign',
      body: { items: [{ order_id: id, deposits: [{ id: deposit, amount: '1000000' }], offer: 'offer' }] },
    }),
  },
  cosigned: { about: ({ order_id: id }) => ({ path: '/v1/cosign/complete', body: { order_ids: [id], transaction: 'aa' } }) },
  tellChanges: { call: { path: '/v1/changes', body: { chains: ['bitcoin_regtest'] } } },
  changes: { call: { path: '/v1/changes?after=0' } },
  liquidity: { call: { path: '/v1/liquidity' } },
  health: { call: { path: '/v1/health' } },
}
const aboutOrders = Object.entries(calls).flatMap(([name, call]) => ('about' in call ? [[name, call.about] as const] : []))

const watch = async () => {
  for (const client of [solver.bitcoin, solver.ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
async function made(secretHash = hashSecret(createSecret())): Promise<{ readonly order: Made; readonly deposit: string }> {
  const order = orderRequest({ secret_hash: secretHash, order_id: hashSecret(createSecret()) })
  expect(await as(maker, { path: '/v1/orders', body: order })).toMatchObject({ status: 200 })
  await watch()
  return { order, deposit: `deposit of ${await depositOf(order.order_id)}` }
}
async function fund({ order }: { readonly order: Made }): Promise<void> {
  solver.bitcoin.mine(sightingsOf(await depositOf(order.order_id)).initiated(1_000_000n))
  await watch()
}
const remembered = async () => ({
  orders: await store.db.selectFrom('orders').select(['id', 'declined']).execute(),
  fills: await store.db.selectFrom('fills').selectAll().execute(),
  grants: await store.db.selectFrom('grants').select('order_id').execute(),
  commitments: await store.db.selectFrom('commitments').selectAll().execute(),
  reservations: await store.db.selectFrom('reservations').select('order_id').execute(),
  cosigned: await store.db.selectFrom('cosigned_redeems').selectAll().execute(),
})

test('every call that names no order may be made by any known service', async () => {
  for (const [name, call] of Object.entries(calls))
    if ('call' in call) expect(await as(hostile, call.call), name).toMatchObject({ status: 200 })
})

describe.each(aboutOrders)('%s', (_, about) => {
  test.each(['unfunded', 'funded'])(
    'is refused to another service as if the %s order did not exist, and leaves nothing behind',
    async (stage) => {
      const it = await made()
      if (stage === 'funded') await fund(it)
      const before = await remembered()
      const unknown = orderRequest()
      const { body } = await as(hostile, about(unknown, it.deposit))
      expect(body).toEqual({ code: 'not_found', message: `there is no order ${unknown.order_id}` })
      const refusal = { status: 404, body: { code: 'not_found', message: `there is no order ${it.order.order_id}` } }
      expect(await as(hostile, about(it.order, it.deposit))).toEqual(refusal)
      expect(await as(maker, about(it.order, it.deposit))).not.toMatchObject({ body: { code: 'not_found' } })
      if (stage === 'unfunded') expect(await remembered()).toEqual(before)
    },
  )
})

test('a proposal of another service, however it is written, does not keep the maker from its fill', async () => {
  const it = await made()
  const path = `/v1/orders/${it.order.order_id}/fill`
  const proposals = [
    { deposits: [it.deposit, it.deposit], block_hash: 'b', destination_amount: '980000' },
    { deposits: ['unseen'], block_hash: 'b', destination_amount: '980000' },
    { deposits: [it.deposit], block_hash: 'b', destination_amount: '1' },
  ]
  for (const key of [hostile, maker]) for (const body of proposals) await as(key, { path, body })
  await fund(it)
  for (const key of [hostile, maker]) for (const body of proposals) await as(key, { path, body })
  const body = { deposits: [it.deposit], block_hash: 'b', destination_amount: '980000' }
  expect(await as(maker, { path, body })).toMatchObject({ status: 200, body: { answer: 'signed' } })
})

test('an order of another service is not repeated, and its id and secret hash are not free', async () => {
  const { order } = await made()
  expect(await as(maker, { path: '/v1/orders', body: order })).toMatchObject({ status: 200 })
  expect(await as(hostile, { path: '/v1/orders', body: order })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('was used before') },
  })
})

test('the answer to an instant refund is not given to another service, though it is kept', async () => {
  const it = await made()
  await fund(it)
  const refund = aboutOrders.find(([name]) => name === 'instantRefund')?.[1](it.order, it.deposit)
  if (refund === undefined) throw new Error('there is a call for it')
  await store.db.updateTable('orders').set({ declined: 'the price has moved' }).execute()
  expect(await as(maker, refund)).toMatchObject({ status: 200 })
  expect(await as(hostile, refund)).toMatchObject({ status: 404 })
  expect(await as(maker, refund)).toMatchObject({ status: 200 })
})

test('a quote covers no order of another service, also if neither names an app', async () => {
  const given = await as(maker, { path: '/v1/quote', body: quote })
  const body = orderRequest({ quote_id: given.body.quote_id })
  expect(await as(hostile, { path: '/v1/orders', body })).toMatchObject({ status: 400, body: { code: 'no_quotes' } })
  expect(await as(maker, { path: '/v1/orders', body })).toMatchObject({ status: 200 })
})

test('long polls of one service take no place from another', async () => {
  const changes = createChanges(3_600_000)
  const many = Array.from({ length: 1_000 }, () => changes.since(0, 'hostile'))
  let isAnswered = false
  const own = changes.since(0, 'maker').finally(() => {
    isAnswered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  changes.close()
  await Promise.all([own, ...many])
})
