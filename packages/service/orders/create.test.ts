/** Tests which orders are created, with which answers. */
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { hashSecret, isSecretFor } from '@tandem/protocol/secret.ts'
import { afterEach, expect, test } from 'vitest'
import { opaque } from '../opaque.ts'
import { acceptanceOf, refuse } from '../testing/fake-solver.fixture.ts'
import {
  alice,
  aliceScript,
  bob,
  btc,
  deployments,
  eth,
  inactive,
  NOW,
  orderBody,
  sharedService,
  usdc,
  wbtc,
} from '../testing/service.fixture.ts'
import { hashToken } from './create.ts'

const service = sharedService()
afterEach(() => service.reset())

const post = (body: unknown, headers: Record<string, string> = {}) => service.call('POST', '/v2/orders', { body, headers })
const resultOf = async (reply: ReturnType<typeof post>) => {
  const { status, body } = await reply
  expect(body.error).toBe(null)
  expect(status).toBe(200)
  return body.result as { order_id: string; order_token?: string } & Record<string, unknown>
}

test('a deposit order: returns address and amount, seals the keys of the user, completes the terms', async () => {
  const result = await resultOf(post({ ...orderBody(btc, wbtc), affiliate_fees: [{ address: aliceScript, fee: 25 }], slippage: 50 }))
  expect(Object.keys(result).sort()).toEqual(['amount', 'order_id', 'order_token', 'refund_package', 'to'])
  expect(result.order_id).toMatch(/^[0-9a-f]{64}$/)
  expect(result.order_token).toMatch(/^[0-9a-f]{64}$/)
  const stored = await storedOrder(service.db, result.order_id)
  const { source, destination, deadline, createdAt, solverId } = stored.order
  expect(result).toMatchObject({ to: source.swapId, amount: '1000000' })
  expect({ createdAt, deadline, solverId }).toEqual({ createdAt: NOW, deadline: NOW + 6n * 3600n, solverId: 'first' })
  const key = await service.vault.get(service.db, result.order_id, 'source-key')
  const client = service.chains.get('bitcoin_regtest')
  expect(source.orderKey).toBe(client?.identityOf(createSecp256k1Key(key ?? '')))
  expect(source).toMatchObject({ userAddress: aliceScript, requiredConfirmations: 1 })
  expect(source.terms).toMatchObject({
    asset: btc,
    initiator: source.orderKey,
    redeemer: '5'.repeat(64),
    amount: 1_000_000n,
    timelock: 200n,
  })
  expect(destination).toMatchObject({ userAddress: bob, orderKey: null, payer: null })
  expect(destination.terms).toEqual({
    asset: wbtc,
    initiator: `0x${'5'.repeat(40)}`,
    redeemer: bob,
    amount: 990_000n,
    secretHash: source.terms.secretHash,
    timelock: 180n,
  })
  expect(await service.vault.get(service.db, result.order_id, 'destination-key')).toBe(null)
  expect(isSecretFor((await service.vault.get(service.db, result.order_id, 'secret')) ?? '', source.terms.secretHash)).toBe(true)
  expect(stored).toMatchObject({
    app: 'shop',
    slippageBips: 50,
    tokenHash: hashToken(result.order_token ?? ''),
    assetPrices: { source: 6_000_000_000_000n, destination: 6_000_000_000_000n },
    affiliateFees: [{ address: aliceScript, asset: btc, feeBips: 25, amount: '2500' }],
  })
  expect(stored.nonce).toMatch(/^[0-9]{1,20}$/)
  expect(service.solver.ordered[0]).toMatchObject({ slippage_bips: 50, extra_fee_bips: 25, deadline: Number(deadline) })
  const parties = { app: opaque('app', 'shop'), owner: opaque('owner', aliceScript) }
  expect(service.solver.ordered[0]).toMatchObject(parties)
})

test('a calls order: returns transactions in hex, and typed data for a token but not for the native coin', async () => {
  const token = await resultOf(post(orderBody(wbtc, btc)))
  expect(token).toMatchObject({
    approval_transaction: { chain_id: 31337, data: '0xa1', value: '0x0', gas_limit: '0x186a0' },
    initiate_transaction: { data: '0xb1' },
    typed_data: { primaryType: 'Initiate', message: { amount: '1000000' } },
  })
  const amount = '2000000000000000'
  const coin = await resultOf(
    post({ source: { asset: eth, owner: alice, amount }, destination: { asset: usdc, owner: bob, amount: '1000000' } }),
  )
  expect(coin).toMatchObject({ approval_transaction: null, typed_data: null, initiate_transaction: { value: '0x71afd498d0000' } })
})

test("a delegate pays in the owner's place; the owner itself does not count as a delegate", async () => {
  const body = orderBody(wbtc, btc)
  const delegated = await resultOf(post({ ...body, source: { ...body.source, delegate: bob } }))
  expect(delegated).toMatchObject({ initiate_transaction: { data: `0xb2${bob.slice(2)}` } })
  expect((await findOrder(service.db, delegated.order_id))?.order.source.payer).toBe(bob)
  const own = await resultOf(post({ ...body, source: { ...body.source, delegate: alice } }))
  expect(own).toMatchObject({ initiate_transaction: { data: '0xb1' } })
})

test('accepts upper case, a missing refund address, nulls, a number as nonce and unknown fields', async () => {
  const result = await resultOf(
    post({
      source: { asset: btc.toUpperCase(), amount: '1000000', delegate: null },
      destination: { asset: wbtc, owner: bob.toUpperCase().replace('0X', '0x'), amount: '990000', delegate: null },
      slippage: 0,
      nonce: 1731,
      solver_id: null,
      something: { else: true },
    }),
  )
  const stored = await findOrder(service.db, result.order_id)
  expect(stored).toMatchObject({ nonce: '1731', sourceOwner: '', destinationOwner: bob, order: { source: { userAddress: null } } })
})

test('the same nonce and request return the first order again, without the token', async () => {
  const body = { ...orderBody(wbtc, btc), nonce: 'once' }
  const { order_token: token, ...first } = await resultOf(post(body))
  const before = await service.countRows()
  expect(token).toBeDefined()
  expect(await resultOf(post({ ...body, extra: 1 }))).toEqual(first)
  const other = await post({ ...body, destination: { ...body.destination, amount: '980000' } })
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(await service.countRows()).toEqual(before)
})

test('the same Idempotency-Key returns the first order again; another body is a conflict', async () => {
  const headers = { 'idempotency-key': 'k-1' }
  const first = await resultOf(post(orderBody(wbtc, btc), headers))
  const again = await resultOf(post(orderBody(wbtc, btc), headers))
  expect(again.order_id).toBe(first.order_id)
  expect(again).not.toHaveProperty('order_token')
  expect(await post({ ...orderBody(wbtc, btc), slippage: 1 }, headers)).toMatchObject({ status: 409, body: { code: 'conflict' } })
  const rival = await resultOf(post(orderBody(wbtc, btc), { ...headers, 'service-app-id': service.otherAppId }))
  expect(rival.order_id).not.toBe(first.order_id)
  expect(await post(orderBody(wbtc, btc), { 'idempotency-key': 'x'.repeat(256) })).toMatchObject({ status: 400 })
})

test('identical requests at the same time make one order', async () => {
  const before = await service.countRows()
  const body = { ...orderBody(btc, wbtc), nonce: 'race' }
  const results = await Promise.all([1, 2, 3, 4].map(() => resultOf(post(body))))
  expect(new Set(results.map((result) => result.order_id)).size).toBe(1)
  expect(results.filter((result) => result.order_token !== undefined)).toHaveLength(1)
  expect((await service.countRows()).orders).toBe((before.orders ?? 0) + 1)
})

test('asks the best solver first, the next one if it declines, and only the one that the request names', async () => {
  const { solver, secondSolver } = service
  secondSolver.onQuote = (request) => ({
    status: 200,
    body: {
      solver_id: 'second',
      quote_id: 'q',
      source_amount: request.from_amount,
      destination_amount: '999999',
      fee_bips: 30,
      fixed_fee_usd_micros: '0',
      estimated_time: 1,
      expires_at: 2_000_000_000,
    },
  })
  const best = await resultOf(post(orderBody(btc, wbtc)))
  expect((await findOrder(service.db, best.order_id))?.order.solverId).toBe('second')
  expect(solver.ordered).toHaveLength(0)
  secondSolver.onOrder = () => refuse('insufficient_liquidity', 'nothing left')
  const next = await resultOf(post(orderBody(btc, wbtc)))
  expect((await findOrder(service.db, next.order_id))?.order.solverId).toBe('first')
  expect(await post({ ...orderBody(btc, wbtc), solver_id: 'second' })).toMatchObject({
    status: 400,
    body: { code: 'insufficient_liquidity', error: 'nothing left' },
  })
})

test('refuses a solver whose part of the terms is invalid', async () => {
  const before = await service.countRows()
  type Terms = ReturnType<typeof acceptanceOf>
  const wrongAnswers: readonly ((terms: Terms, user: string) => unknown)[] = [
    (terms) => ({ ...terms, solver_id: 'first' }),
    (terms) => ({ ...terms, source: { ...terms.source, timelock: '199' } }),
    (terms) => ({ ...terms, destination: { ...terms.destination, timelock: '181' } }),
    (terms) => ({ ...terms, destination: { ...terms.destination, amount: '985049' } }),
    (terms) => ({ ...terms, source: { ...terms.source, redeemer: 'not a key' } }),
    (terms) => ({ ...terms, destination: { ...terms.destination, initiator: '0x12' } }),
    (terms) => ({ ...terms, destination: { ...terms.destination, initiator: `0x${'AB'.repeat(20)}` } }),
    (terms) => ({ ...terms, destination: { ...terms.destination, initiator: bob } }),
    (terms, user) => ({ ...terms, source: { ...terms.source, redeemer: user } }),
    (terms) => ({ solver_id: terms.solver_id }),
    () => 'this is not JSON',
    () => 'x'.repeat(100_000),
  ]
  for (const wrong of wrongAnswers) {
    service.secondSolver.onOrder = (request) => ({ status: 200, body: wrong(acceptanceOf('second', request), request.source.initiator) })
    const forced = await post({ ...orderBody(btc, wbtc), slippage: 50, solver_id: 'second' })
    expect(forced, wrong.toString()).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  }
  service.secondSolver.onOrder = () => 'hang up'
  expect(await post({ ...orderBody(btc, wbtc), solver_id: 'second' })).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect(await service.countRows()).toEqual(before)
})

test('accepts a price that moved within the slippage, and refuses one beyond it with the numbers of the solver', async () => {
  const { solver } = service
  solver.onOrder = (request) => {
    const terms = acceptanceOf('first', request)
    return { status: 200, body: { ...terms, destination: { ...terms.destination, amount: '985050' } } }
  }
  const moved = await resultOf(post({ ...orderBody(btc, wbtc), slippage: 50, solver_id: 'first' }))
  expect((await findOrder(service.db, moved.order_id))?.order.destination.terms.amount).toBe(985_050n)
  solver.onOrder = () => refuse('price_moved', '990000 asked,\n980000 now')
  expect(await post({ ...orderBody(btc, wbtc), solver_id: 'first' })).toMatchObject({
    status: 400,
    body: { code: 'price_moved', error: '990000 asked, 980000 now' },
  })
  const withAffiliate = { ...orderBody(btc, wbtc), affiliate_fees: [{ address: aliceScript, fee: 25 }], solver_id: 'first' }
  expect((await post(withAffiliate)).body.error).toMatch(/^990000 asked, 980000 now; .* ask for the quote with affiliate_fee=25$/)
})

test('an unreachable chain makes the request fail and stores nothing', async () => {
  const before = await service.countRows()
  service.world.unreachable.add('ethereum_localnet')
  expect(await post(orderBody(btc, wbtc))).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  service.reset()
  const client = service.chains.get('bitcoin_regtest')
  if (client === undefined) throw new Error('no chain')
  const { ChainFailure } = await import('@tandem/chain-kit/port/failure.ts')
  client.failure = new ChainFailure('unreachable', 'http://user:key@node is down')
  const reply = await post(orderBody(btc, wbtc))
  expect(reply).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect(reply.body.error).not.toContain('node is down')
  expect(await service.countRows()).toEqual(before)
})

const good = orderBody(wbtc, btc)
const withSource = (change: object) => ({ ...good, source: { ...good.source, ...change } })
const withDestination = (change: object) => ({ ...good, destination: { ...good.destination, ...change } })
const badAmounts = [
  5,
  1.5,
  '1.5',
  '-1',
  '0',
  '01',
  '+1',
  '1e6',
  ' 1',
  '',
  '0x10',
  '１２３',
  `1${'0'.repeat(80)}`,
  (2n ** 256n).toString(),
  null,
]

test.each<[string, unknown, string, RegExp]>([
  ...badAmounts.map((amount): [string, unknown, string, RegExp] => [
    `source.amount ${JSON.stringify(amount)?.slice(0, 30)}`,
    withSource({ amount }),
    'bad_request',
    /source\.amount/,
  ]),
  ['nothing', undefined, 'bad_request', /source is missing/],
  ['a list', [], 'bad_request', /expected/],
  ['a text', 'order', 'bad_request', /expected/],
  ['no source', { destination: good.destination }, 'bad_request', /source is missing/],
  ['no amount', withSource({ amount: undefined }), 'bad_request', /source\.amount is missing: expected a positive integer/],
  ['an unknown asset', withSource({ asset: 'moon:cheese' }), 'unsupported_pair', /moon:cheese/],
  ['no asset id', withSource({ asset: 'wbtc' }), 'bad_request', /<chain>:<token>/],
  ['an inactive asset', withSource({ asset: inactive }), 'unsupported_pair', /not active/],
  ['the same asset twice', withDestination({ asset: wbtc, owner: bob }), 'unsupported_pair', /itself/],
  ['too little', withSource({ amount: '9999' }), 'amount_out_of_range', /10000 to 100000000 .* ethereum_localnet:wbtc, got 9999/],
  ['too much', withDestination({ amount: '100000001' }), 'amount_out_of_range', /destination\.amount .* bitcoin_regtest:btc/],
  ['no owner', withSource({ owner: undefined }), 'invalid_address', /source\.owner/],
  ['no recipient', withDestination({ owner: undefined }), 'bad_request', /destination\.owner/],
  ['an empty recipient', withDestination({ owner: '' }), 'invalid_address', /destination\.owner/],
  ['a bad owner', withSource({ owner: '0x12' }), 'invalid_address', /source\.owner: "0x12"/],
  ['an owner of another chain', withSource({ owner: aliceScript }), 'invalid_address', /source\.owner/],
  [
    'an owner that is a number',
    withSource({ owner: 7 }),
    'bad_request',
    /source\.owner: expected an address on its chain, as a string, got 7/,
  ],
  ['a zero byte', withSource({ owner: '\u0000' }), 'bad_request', /source\.owner/],
  ['the HTLC as owner', withSource({ owner: deployments[wbtc]?.htlc }), 'invalid_address', /contract/],
  [
    'a delegate where anyone may pay',
    { ...orderBody(btc, wbtc), source: { ...orderBody(btc, wbtc).source, delegate: bob } },
    'bad_request',
    /source\.delegate has no meaning on bitcoin_regtest/,
  ],
  ['a bad delegate', withSource({ delegate: 'someone' }), 'invalid_address', /source\.delegate/],
  [
    'slippage above the maximum',
    { ...good, slippage: 501 },
    'bad_request',
    /slippage: expected a whole number of bips from 0 to 500, got 501/,
  ],
  ['slippage as text', { ...good, slippage: '5' }, 'bad_request', /slippage/],
  ['a fraction of slippage', { ...good, slippage: 0.5 }, 'bad_request', /slippage/],
  ['a negative slippage', { ...good, slippage: -1 }, 'bad_request', /slippage/],
  ['an unknown solver', { ...good, solver_id: 'nobody' }, 'bad_request', /solver_id/],
  [
    'too many affiliates',
    { ...good, affiliate_fees: Array.from({ length: 11 }, () => ({ address: bob, fee: 1 })) },
    'bad_request',
    /affiliate_fees/,
  ],
  [
    'too high affiliate fees',
    { ...good, affiliate_fees: [600, 401].map((fee) => ({ address: bob, fee })) },
    'bad_request',
    /affiliate_fees .* 1000 .* 1001/,
  ],
  ['a fraction of a fee', { ...good, affiliate_fees: [{ address: bob, fee: 1.5 }] }, 'bad_request', /affiliate_fees/],
  ['a zero byte in an affiliate', { ...good, affiliate_fees: [{ address: 'a\u0000b', fee: 1 }] }, 'bad_request', /affiliate_fees/],
  ['a fraction as nonce', { ...good, nonce: 1.5 }, 'bad_request', /nonce/],
  ['a nonce out of range', { ...good, nonce: 2 ** 60 }, 'bad_request', /nonce/],
  ['a zero byte as nonce', { ...good, nonce: '\u0000' }, 'bad_request', /nonce/],
  ['an empty nonce', { ...good, nonce: '' }, 'bad_request', /nonce/],
  ['a secret hash that is too short', { ...good, secret_hash: 'ab'.repeat(31) }, 'bad_request', /secret_hash .* 32 bytes .* 64 characters/],
  ['a secret hash that is too long', { ...good, secret_hash: 'ab'.repeat(33) }, 'bad_request', /secret_hash .* 32 bytes .* 64 characters/],
  ['a secret hash that is no hex', { ...good, secret_hash: 'xy'.repeat(32) }, 'bad_request', /secret_hash .* 32 bytes .* 64 characters/],
  ['an empty secret hash', { ...good, secret_hash: '' }, 'bad_request', /secret_hash .* 32 bytes .* 64 characters/],
  ['a number as secret hash', { ...good, secret_hash: 5 }, 'bad_request', /secret_hash: expected .* 32 bytes .* 64 characters/],
  ['a secret hash with a guessable secret', { ...good, secret_hash: hashSecret('00'.repeat(32)) }, 'bad_request', /secret_hash .* guess/],
  ['a poisoned prototype', JSON.parse('{"__proto__": {"a": 1}}'), 'bad_request', /JSON|missing/],
])('%s is refused with a clear text', async (_name, body, code, words) => {
  const before = await service.countRows()
  const reply = await post(body)
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual({ status: 'Error', error: expect.stringMatching(words), result: null, code })
  expect(await service.countRows()).toEqual(before)
  expect(service.solver.ordered).toEqual([])
})

test('without source.owner, a repeated nonce is a conflict: a third party may have made the first order and have its token', async () => {
  const right = orderBody(btc, wbtc)
  const body = { ...right, source: { ...right.source, owner: undefined }, nonce: 'guessed' }
  const post = (headers: Record<string, string> = {}) => service.call('POST', '/v2/orders', { body, headers })
  expect(await post({ 'idempotency-key': 'mine' })).toMatchObject({ status: 200 })
  const before = await service.countRows()
  expect(await post()).toMatchObject({ status: 409, body: { code: 'conflict', error: expect.stringContaining('order_token') } })
  expect(await post({ 'idempotency-key': 'mine' })).toMatchObject({ status: 200 })
  expect(await service.countRows()).toEqual(before)
})
