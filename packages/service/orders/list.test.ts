/** Tests lists of orders: filters, pages, and what other apps may see. */
import { registry } from '@tandem/party/engine/engine.fixture.ts'
import { expireOrderList } from '@tandem/party/engine/order-list.ts'
import { reconcile } from '@tandem/party/engine/reconciler.ts'
import { type RequestToSign, signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { recountOrders } from '@tandem/party/store/order-list/order-counts.ts'
import { putOrder } from '@tandem/party/store/store.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Leg, Order } from '@tandem/protocol/order.ts'
import { type OrderStatus, orderStatuses } from '@tandem/protocol/state.ts'
import type { Feed } from '@tandem/protocol/wire/feed.ts'
import { type OrderList, statusFilters } from '@tandem/protocol/wire/order-list.ts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSolverRequests } from '../solvers/solver-requests.ts'
import { alice, bob, eventsOf, NOW, SERVICE_PUBLIC_KEY, sharedService, solverSigningKeys } from '../testing/service.fixture.ts'
import { inSlices, SLICE } from './list.ts'

const bech32 = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const base58 = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'
const DOLLAR = 1_000_000n

const service = sharedService({ environment: 'local', publicFeed: true })
const withoutFeed = sharedService()

/** The orders are by name, the oldest first. */
const orders = new Map<string, Order>()
const heights = new Map<string, bigint>()

const named = (name: string): Order => {
  const order = orders.get(name)
  if (order === undefined) throw new Error(`no order ${name}`)
  return order
}
const call = (query: string, headers = {}) => service.call('GET', `/v2/orders?${query}`, { headers })
const list = async (query: string, headers = {}): Promise<OrderList> => {
  const { status, body } = await call(query, headers)
  expect({ status, error: body.error }).toEqual({ status: 200, error: null })
  return body.result as OrderList
}
const namesIn = (found: OrderList) => found.data.map(({ order_id }) => [...orders].find(([, order]) => order.id === order_id)?.[0])
const asRival = () => ({ 'service-app-id': service.otherAppId })

type Making = {
  readonly app?: string
  readonly from?: string
  readonly to?: string
  readonly by?: string
  readonly solver?: string
  readonly deadline?: bigint
  readonly dollars?: bigint
  readonly deposit?: string
}

const secretOf = (name: string) => Buffer.from(name).toString('hex').padEnd(64, '0')

async function make(
  name: string,
  { app = 'shop', from = alice, to = bob, deposit, solver, deadline, dollars = 100n, ...chains }: Making & Partial<Record<Leg, string>>,
) {
  const { source = 'bitcoin_regtest', destination = 'ethereum_localnet' } = chains
  const { order } = await putOrder(service.db, {
    app,
    secret: secretOf(name),
    sourceOwner: from,
    destinationOwner: to,
    ...(deadline !== undefined && { deadline }),
    source: { chain: source, ...(deposit !== undefined && { swapId: deposit }) },
    destination: { chain: destination },
    worth: { volumeUsdMicros: dollars * DOLLAR, feeUsdMicros: dollars * 10_000n },
  })
  if (solver !== undefined) {
    await service.db.updateTable('orders').set({ solver_id: solver }).where('id', '=', order.id).execute()
    await service.db.updateTable('order_list').set({ solver_id: solver }).where('order_id', '=', order.id).execute()
  }
  orders.set(name, order)
}

async function happen(name: string, leg: Leg, event: (events: ReturnType<typeof eventsOf>) => HtlcEvent) {
  const { chain } = named(name)[leg]
  const height = (heights.get(chain) ?? 100n) + 1n
  heights.set(chain, height)
  await service.mine(chain, { height, time: NOW }, [event(eventsOf(named(name)[leg]))])
}

beforeAll(async () => {
  await make('new', { from: bech32 })
  await make('expired', { deadline: NOW - 1n, to: base58, source: 'ethereum_localnet', destination: 'bitcoin_regtest' })
  await make('funded', { solver: 'second', deposit: 'bcrt1pdeposit', from: bech32 })
  await make('done', { solver: 'second', source: 'ethereum_localnet', destination: 'arbitrum_localnet', dollars: 250n })
  await make('paid', { from: bob, to: alice, dollars: 50n })
  await make('back', { source: 'arbitrum_localnet' })
  await make('theirs', { app: 'rival', dollars: 7n })
  await happen('funded', 'source', (events) => events.initiated('f00d'))
  for (const name of ['done', 'paid', 'theirs']) {
    await happen(name, 'source', (events) => events.initiated(`0x${name === 'done' ? 'abcdef' : `a${orders.size}${name.length}`}`))
    await happen(name, 'destination', (events) => events.initiated(`0xb${name.length}`))
    await happen(name, 'destination', (events) => events.redeemed(`0xc${name.length}`, secretOf(name)))
  }
  await happen('done', 'source', (events) => events.redeemed('5J7Signature', secretOf('done')))
  await happen('back', 'source', (events) => events.initiated('0xd1'))
  await happen('back', 'source', (events) => events.refunded('0xd2'))
  await reconcile({ db: service.db, registry, party: { role: 'service' } }, NOW)
  await expireOrderList(service.db, registry, NOW)
})
beforeEach(() => service.reset())

const everything = ['back', 'paid', 'done', 'funded', 'expired', 'new']

test.each<[string, readonly string[]]>([
  ['', everything],
  ['status=all', everything],
  ['status=display', ['back', 'paid', 'done', 'funded', 'new']],
  ['status=not-initiated', ['new']],
  ['status=created', ['new']],
  ['status=in-progress', ['funded']],
  ['status=pending', ['funded']],
  ['status=initiated', ['funded']],
  ['status=completed', ['paid', 'done']],
  ['status=fulfilled', ['paid', 'done']],
  ['status=redeemed', ['paid']],
  ['status=counterparty_redeemed', ['done']],
  ['status=expired', ['expired']],
  ['status=refunded', ['back']],
  ['status=refunded,pending,created', ['back', 'funded', 'new']],
  ['status=display,expired', everything],
  ['from_chain=ethereum_localnet', ['done', 'expired']],
  ['from_chain=ETHEREUM_LOCALNET,arbitrum_localnet', ['back', 'done', 'expired']],
  ['to_chain=bitcoin_regtest', ['expired']],
  ['from_chain=bitcoin_regtest&to_chain=ethereum_localnet&status=completed', ['paid']],
  ['from_chain=arbitrum_localnet&to_chain=arbitrum_localnet', []],
  ['solver_id=second', ['done', 'funded']],
  ['solver_id=second,solver', everything],
  ['solver_id=nobody', []],
  ['integrator=shop', everything],
  ['integrator=shop,rival', everything],
  ['integrator=rival', []],
  [`from_owner=${bob}`, ['paid']],
  [`from_owner=${alice}`, ['theirs', 'back', 'done', 'expired']],
  [`from_owner=${alice.toUpperCase().replace('X', 'x')}`, ['theirs', 'back', 'done', 'expired']],
  [`from_owner=${bob},${bech32}`, ['paid', 'funded', 'new']],
  [`to_owner=${alice}`, ['paid']],
  [`to_owner=${base58}`, ['expired']],
  [`to_owner=${base58.toLowerCase()}`, []],
  [`address=${alice}`, ['theirs', 'back', 'paid', 'done', 'expired']],
  [`address=${bech32.toUpperCase()}`, ['funded', 'new']],
  [`address=${bech32},${base58}`, ['funded', 'expired', 'new']],
  ['address=bcrt1pdeposit', ['funded']],
  ['address=BCRT1PDEPOSIT', ['funded']],
  [`address=${alice}&integrator=rival`, ['theirs']],
  [`address=${alice}&integrator=shop&status=completed`, ['paid', 'done']],
  [`address=${alice}&to_owner=${alice}`, ['paid']],
  ['address=nobody', []],
  ['tx_hash=f00d', ['funded']],
  ['tx_hash=0xF00D', ['funded']],
  ['tx_hash=f00d:101', ['funded']],
  ['tx_hash=0xabcdef', ['done']],
  ['tx_hash=ABCDEF', ['done']],
  ['tx_hash=5J7Signature', ['done']],
  ['tx_hash=5j7signature', []],
  ['tx_hash=0xd2,0xd1,f00d', ['back', 'funded']],
  ['tx_hash=0xd2&status=completed', []],
  ['tx_hash=0xc6', ['theirs']],
])('?%s', async (query, expected) => {
  const found = await list(query)
  // The list is sorted by creation time; the table above is not.
  const places = [...orders.keys()]
  const sequence = [...expected].sort((a, b) => places.indexOf(b) - places.indexOf(a))
  expect(namesIn(found)).toEqual(sequence)
  expect(found).toMatchObject({ page: 1, per_page: 10, total_items: expected.length, total_pages: expected.length === 0 ? 0 : 1 })
})

test('?secret_hash finds exactly the orders of these hashes', async () => {
  const hashOf = (name: string) => named(name).source.terms.secretHash
  const unused = 'cd'.repeat(32)
  expect(namesIn(await list(`secret_hash=${hashOf('new')}`))).toEqual(['new'])
  expect(namesIn(await list(`secret_hash=${hashOf('new')},${unused},0x${hashOf('back').toUpperCase()}`))).toEqual(['back', 'new'])
  expect(await list(`secret_hash=${unused}`)).toMatchObject({ data: [], total_items: 0 })
  expect(namesIn(await list(`secret_hash=${hashOf('done')},${hashOf('new')}&to_owner=${bob}&status=completed`))).toEqual(['done'])
})

test('every status belongs to exactly one of the five filters that users know', () => {
  const places = ['not-initiated', 'in-progress', 'completed', 'expired', 'refunded'].flatMap((name) => statusFilters[name] ?? [])
  expect([...places].sort()).toEqual([...orderStatuses].sort())
  expect(statusFilters.all).toEqual(orderStatuses)
})

test.each<[string, readonly string[], number]>([
  ['page=1&per_page=4', ['back', 'paid', 'done', 'funded'], 2],
  ['page=2&per_page=4', ['expired', 'new'], 2],
  ['page=3&per_page=4', [], 2],
  ['page=2&per_page=3', ['funded', 'expired', 'new'], 2],
  ['page=6&per_page=1', ['new'], 6],
  ['page=1000000000&per_page=500', [], 1],
  ['per_page=500', everything, 1],
  [`page=2&per_page=2&address=${alice}`, ['paid', 'done'], 3],
])('?%s', async (query, expected, pages) => {
  const found = await list(query)
  expect(namesIn(found)).toEqual(expected)
  const asked = new URLSearchParams(query)
  expect(found).toMatchObject({
    page: Number(asked.get('page') ?? 1),
    per_page: Number(asked.get('per_page')),
    total_pages: pages,
    total_items: query.includes('address') ? 5 : 6,
  })
})

test('shows each order as GET /orders/{id} does', async () => {
  const { data } = await list('')
  for (const record of data) {
    expect(record).toEqual((await service.call('GET', `/v2/orders/${record.order_id}`)).body.result)
  }
  const statuses = new Map<string | undefined, OrderStatus>(data.map((record, index) => [everything[index], record.status]))
  expect(Object.fromEntries(statuses)).toEqual({
    back: 'refunded',
    paid: 'redeemed',
    done: 'counterparty_redeemed',
    funded: 'initiated',
    expired: 'expired',
    new: 'created',
  })
})

describe('a solver that signs the request', () => {
  const keys = solverSigningKeys
  const target = (query: string) => `/v2/orders?${query}`
  const sign = (query: string, key = keys.solver, more: Partial<RequestToSign> = {}) => ({
    ...signRequest(key, {
      method: 'GET',
      target: target(query),
      body: '',
      recipient: SERVICE_PUBLIC_KEY,
      waitMs: 5_000,
      nowMs: Date.now(),
      ...more,
    }),
  })
  const as = async (query: string, headers: Readonly<Record<string, string>>) => namesIn(await list(query, headers))

  test('gets its orders of all apps, by page and with the other filters', async () => {
    expect(await as('solver_id=solver', sign('solver_id=solver'))).toEqual(['theirs', 'back', 'paid', 'expired', 'new'])
    expect(await as('solver_id=second', sign('solver_id=second', keys.second))).toEqual(['done', 'funded'])
    const paged = 'solver_id=solver&status=completed&per_page=1&page=2'
    expect(await list(paged, sign(paged))).toMatchObject({ page: 2, per_page: 1, total_items: 2, total_pages: 2 })
    expect(await as(paged, sign(paged))).toEqual(['paid'])
    const ofApp = 'solver_id=solver&integrator=rival'
    expect(await as(ofApp, sign(ofApp))).toEqual(['theirs'])
    // An app without a signature gets what it got before.
    expect(namesIn(await list('solver_id=solver'))).toEqual(['back', 'paid', 'expired', 'new'])
    expect(namesIn(await list('solver_id=solver', asRival()))).toEqual(['theirs'])
  })

  test('sees no orders of another solver', async () => {
    for (const query of ['solver_id=second', 'solver_id=solver,second', '', 'status=all', `address=${alice}`])
      expect(await call(query, sign(query))).toMatchObject({
        status: 403,
        body: { code: 'forbidden', error: expect.stringMatching(/"solver"/) },
      })
  })

  test.each<[string, (query: string) => Readonly<Record<string, string>>, RegExp]>([
    ['another query', () => sign('solver_id=solver&page=1'), /the signature does not fit the request/],
    ['another method', (query) => sign(query, keys.solver, { method: 'POST' }), /the signature does not fit the request/],
    ['another path', (query) => sign(query, keys.solver, { target: `/v2/order?${query}` }), /the signature does not fit the request/],
    ['another service', (query) => sign(query, keys.solver, { recipient: 'ab'.repeat(32) }), /the request is for another service/],
    ['a body', (query) => sign(query, keys.solver, { body: '{}' }), /content-digest does not match/],
    ['an hour ago', (query) => sign(query, keys.solver, { nowMs: Date.now() - 3_600_000 }), /signed 3600 s behind our clock/],
    ['a stranger', (query) => sign(query, createSigningKey('77'.repeat(32))), /is not known here: add it to solvers/],
    ['nobody', (query) => ({ ...sign(query), signature: `tandem=:${'A'.repeat(86)}==:` }), /the signature does not fit the request/],
    ['no one input', (query) => ({ signature: sign(query).signature }), /requests must have the headers/],
  ])('is refused with a signature of %s', async (_, headers, words) => {
    const query = 'solver_id=solver'
    const reply = await call(query, headers(query))
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthorized', result: null } })
    expect(reply.body.error).toMatch(words)
  })

  test('is refused the second time: a signature is for one request', async () => {
    const headers = sign('solver_id=solver')
    expect((await call('solver_id=solver', headers)).status).toBe(200)
    expect(await call('solver_id=solver', headers)).toMatchObject({ status: 401, body: { error: expect.stringMatching(/nonce was used/) } })
  })

  test('needs an app id as everybody does', async () => {
    const answer = await fetch(`${service.url}${target('solver_id=solver')}`, { headers: sign('solver_id=solver') })
    expect(answer.status).toBe(401)
  })
})

test('a key that two solvers share names none of them', () => {
  const { publicKey } = solverSigningKeys.solver
  const shared = createSolverRequests(
    ['one', 'other'].map((id) => ({ id, publicKey })),
    SERVICE_PUBLIC_KEY,
  )
  const request = { method: 'GET', target: '/v2/orders', body: '', recipient: SERVICE_PUBLIC_KEY, waitMs: 1, nowMs: Date.now() } as const
  const headers = signRequest(solverSigningKeys.solver, request)
  expect(() => shared.signerOf({ ...request, headers })).toThrow(/is not known here/)
})

describe('the public feed', () => {
  const feed = (query: string, from = service, headers = {}) => from.call('GET', `/v2/feed?${query}`, { headers })
  const read = async (query: string, headers = {}) => {
    const { status, body } = await feed(query, service, headers)
    expect({ status, error: body.error }).toEqual({ status: 200, error: null })
    return body.result as Feed
  }
  const sourcesOf = ({ data }: Feed) => data.map(({ source, status }) => `${source.initiate_tx_hash} ${status}`)

  test('is off unless the operator turns it on', async () => {
    expect(await feed('', withoutFeed)).toMatchObject({
      status: 404,
      body: { code: 'not_found', error: expect.stringContaining('public_feed') },
    })
  })

  test('has the orders of all apps that a chain shows, by status, chain, solver and page', async () => {
    const all = await read('')
    expect(all).toMatchObject({ page: 1, per_page: 10, total_items: 5, total_pages: 1 })
    expect(all.data.map(({ status }) => status)).toEqual(['redeemed', 'refunded', 'redeemed', 'counterparty_redeemed', 'initiated'])
    expect(await read('', asRival())).toEqual(all)
    expect(sourcesOf(await read('status=completed'))).toHaveLength(3)
    expect(sourcesOf(await read('status=refunded'))).toEqual(['0xd1 refunded'])
    expect(sourcesOf(await read('status=all'))).toEqual(sourcesOf(all))
    for (const hidden of ['status=created', 'status=expired', 'status=not-initiated', 'status=created,expired'])
      expect(await read(hidden)).toMatchObject({ data: [], total_items: 0 })
    expect(sourcesOf(await read('status=created,refunded'))).toEqual(['0xd1 refunded'])
    expect(sourcesOf(await read('from_chain=arbitrum_localnet'))).toEqual(['0xd1 refunded'])
    expect(sourcesOf(await read('to_chain=arbitrum_localnet'))).toEqual(['0xabcdef counterparty_redeemed'])
    expect(sourcesOf(await read('solver_id=second'))).toHaveLength(2)
    const pages = [await read('per_page=2'), await read('per_page=2&page=2'), await read('per_page=2&page=3')]
    expect(pages.flatMap(({ data }) => data)).toEqual(all.data)
    expect(pages[2]).toMatchObject({ total_pages: 3, total_items: 5 })
  })

  test('shows nothing about users and apps', async () => {
    const { data } = await read('per_page=500')
    const text = JSON.stringify(data)
    for (const name of ['shop', 'rival', alice, bob, bech32, base58, 'alice', 'user', 'bcrt1pdeposit'])
      expect(text, name).not.toContain(name)
    for (const [name, order] of orders) {
      const { source, destination, id } = order
      for (const hidden of [id, secretOf(name), source.terms.secretHash, source.swapId, destination.swapId])
        expect(text, name).not.toContain(hidden)
    }
    expect(Object.keys(data[0] ?? {}).toSorted()).toEqual(['created_at', 'destination', 'solver_id', 'source', 'status'])
    expect(Object.keys(data[0]?.source ?? {}).toSorted()).toEqual([
      'amount',
      'asset',
      'asset_price',
      'chain',
      'filled_amount',
      'initiate_timestamp',
      'initiate_tx_hash',
      'redeem_timestamp',
      'redeem_tx_hash',
      'refund_timestamp',
      'refund_tx_hash',
    ])
  })

  test.each(['integrator=shop', `address=${alice}`, 'status=done', 'from_chain=moon', 'per_page=501', 'page=0'])(
    '?%s is refused',
    async (query) => {
      expect(await feed(query)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    },
  )
})

test("finds another app's orders only by address, owner, secret hash or transaction, with the secrets that a chain shows", async () => {
  expect(namesIn(await list('', asRival()))).toEqual(['theirs'])
  const hash = named('done').source.terms.secretHash
  for (const query of [`address=${alice}`, 'tx_hash=0xabcdef', `from_owner=${alice}`, `to_owner=${bob}`, `secret_hash=${hash}`]) {
    const found = await list(query, asRival())
    expect(namesIn(found)).toContain('done')
    const strangers = found.data.filter(({ integrator }) => integrator === 'shop')
    expect(strangers.length).toBeGreaterThan(0)
    for (const { order_id: id, source_swap: source, destination_swap: destination } of strangers) {
      const name = [...orders].find(([, order]) => order.id === id)?.[0] ?? ''
      const secret = ['done', 'paid'].includes(name) ? secretOf(name) : ''
      expect([source.secret, destination.secret], name).toEqual([secret, secret])
    }
  }
  const own = await list(`address=${alice}`, asRival())
  expect(JSON.stringify(own.data.filter(({ integrator }) => integrator === 'rival'))).toContain(secretOf('theirs'))
  expect(namesIn(await list('status=completed&from_chain=ethereum_localnet', asRival()))).toEqual([])
})

test.each<[string, RegExp]>([
  ['page=0', /page: expected a whole number from 1, got 0/],
  ['page=-1', /page/],
  ['page=1.5', /page/],
  ['page=01', /page/],
  ['page=1e3', /page/],
  ['page=', /page/],
  ['page=1000000001', /page/],
  ['page=1&page=2', /page/],
  ['per_page=0', /per_page: expected a whole number from 1 to 500, got 0/],
  ['per_page=501', /per_page: expected a whole number from 1 to 500, got 501/],
  ['per_page=ten', /per_page/],
  ['status=done', /status: expected one of all, awaiting_refund, .*, got "done"/],
  ['status=Completed', /status/],
  ['status=constructor', /status/],
  ['status=', /status/],
  ['status=completed,', /status/],
  ['status=completed&status=refunded', /status/],
  ['from_chain=moon', /from_chain: expected a chain .*, got "moon"/],
  ['to_chain=bitcoin_regtest,,ethereum_localnet', /to_chain/],
  ['address=', /address: expected an owner's address/],
  ['address=a%20b', /address/],
  ['address=%00', /address/],
  ['address=%F0%9F%92%A9', /address/],
  [`address=${Array.from({ length: 101 }, (_, n) => n).join(',')}`, /address: expected at most 100 values, got 101/],
  [`tx_hash=${'a'.repeat(9000)}`, /tx_hash/],
  ['secret_hash=abcdef', /secret_hash must be 32 bytes as hex/],
  [
    `secret_hash=${Array.from({ length: 21 }, (_, n) => String(n).padStart(64, '7')).join(',')}`,
    /secret_hash: expected at most 20 values, got 21/,
  ],
  ['solver_id=a&solver_id=b', /solver_id/],
])('?%s is refused with a clear text', async (query, words) => {
  const reply = await call(query)
  expect(reply).toMatchObject({ status: 400, body: { status: 'Error', code: 'bad_request', result: null } })
  expect(reply.body.error).toMatch(words)
})

describe('statistics', () => {
  const NEXT_DAY = 86_400n
  beforeAll(async () => {
    const move = (name: string, seconds: bigint) =>
      service.db
        .updateTable('ledger')
        .set({ created_at: NOW + seconds })
        .where('order_id', '=', named(name).id)
        .execute()
    await move('paid', NEXT_DAY)
    await move('theirs', 3n * NEXT_DAY + 5n)
    await recountOrders(service.db)
  })
  const read = async (path: string) => {
    const { status, body } = await service.call('GET', `/v2/${path}`)
    expect(status).toBe(200)
    return body.result
  }

  test.each<[string, string, string]>([
    ['', '307.00', '3.07'],
    ['source_chain=ethereum_localnet', '250.00', '2.50'],
    ['source_chain=ethereum_localnet,bitcoin_regtest', '307.00', '3.07'],
    ['destination_chain=ethereum_localnet', '57.00', '0.57'],
    ['source_chain=bitcoin_regtest&destination_chain=arbitrum_localnet', '0.00', '0.00'],
    [`address=${bob}`, '307.00', '3.07'],
    [`address=${bob}&source_chain=bitcoin_regtest`, '57.00', '0.57'],
    [`address=${bech32}`, '0.00', '0.00'],
    [`from=${NOW}`, '307.00', '3.07'],
    [`from=${NOW + 1n}`, '57.00', '0.57'],
    [`to=${NOW - 1n}`, '0.00', '0.00'],
    [`to=${NOW}`, '250.00', '2.50'],
    [`from=${NOW + NEXT_DAY}&to=${NOW + NEXT_DAY}`, '50.00', '0.50'],
    [`from=${NOW + 1n}&to=${NOW + 3n * NEXT_DAY + 4n}`, '50.00', '0.50'],
    [`from=${NOW + 1n}&to=${NOW + 3n * NEXT_DAY + 5n}`, '57.00', '0.57'],
    [`from=${NOW}&to=${NOW + 3n * NEXT_DAY}&source_chain=bitcoin_regtest`, '50.00', '0.50'],
    [`from=${NOW + NEXT_DAY}&address=${alice}`, '57.00', '0.57'],
  ])('?%s', async (query, volume, fees) => {
    expect(await read(`volume?${query}`)).toBe(volume)
    for (const name of ['fees', 'fee']) expect(await read(`${name}?${query}`)).toBe(fees)
  })

  test.each(['from=-1', 'from=1.5', 'to=later', 'from=2&to=1', 'source_chain=moon', 'address=', 'from=1&from=2'])(
    '?%s is refused',
    async (query) => {
      for (const path of ['volume', 'fees', 'fee'])
        expect(await service.call('GET', `/v2/${path}?${query}`)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    },
  )
})

test('several long lists derive one slice in each iteration of the event loop, and lose nothing', async () => {
  let turn = 0
  let isOver = false
  const tick = () => {
    turn += 1
    if (!isOver) setImmediate(tick)
  }
  tick()
  const described = new Map<number, number>()
  const numbers = Array.from({ length: 4 * SLICE + 1 }, (_, index) => index)
  const most: number[] = []
  const list = () =>
    inSlices(
      numbers,
      async (slice) => {
        most.push(slice.length)
        return slice
      },
      (one) => {
        described.set(turn, (described.get(turn) ?? 0) + 1)
        return one
      },
    )
  const lists = await Promise.all([list(), list(), list()])
  isOver = true
  expect(lists).toEqual([numbers, numbers, numbers])
  expect(Math.max(...described.values())).toBe(SLICE)
  expect(described.size).toBe(3 * 5)
  expect(Math.max(...most)).toBe(SLICE)
})
