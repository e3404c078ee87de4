// Bad POST and PATCH /orders requests get a clear error in the envelope and change nothing in the database.

import { findOrder } from '@tandem/party/store/orders/orders.ts'
import type { ErrorCode } from '@tandem/protocol/error.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { afterEach, beforeAll, describe, test } from 'vitest'
import { refuse } from '../testing/fake-solver.fixture.ts'
import { alice, bob, btc, type Call, eventsOf, inactive, NOW, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'
import { expectRefused } from './fuzz/expect-refused.fixture.ts'

const SECRET = '5e'.repeat(32)

const service = sharedService()
const orders = { created: '', clientSecret: '', done: '' }
beforeAll(async () => {
  const make = async (body: object): Promise<string> => {
    const { body: reply } = await service.call('POST', '/v2/orders', { body })
    return (reply.result as { order_id: string }).order_id
  }
  orders.created = await make(orderBody(wbtc, btc))
  orders.clientSecret = await make({ ...orderBody(btc, wbtc), secret_hash: hashSecret(SECRET) })
  orders.done = await make(orderBody(wbtc, btc))
  const done = (await findOrder(service.db, orders.done))?.order
  if (done === undefined) throw new Error('the order was not made')
  for (const leg of ['source', 'destination'] as const) {
    const { initiated, redeemed } = eventsOf(done[leg])
    await service.mine(done[leg].chain, { height: 10n, time: NOW }, [initiated('0x1'), redeemed('0x2', SECRET)])
  }
})
afterEach(() => service.reset())

const expectRefusal = (...asked: [method: string, path: string, call: Call, code: ErrorCode, words: RegExp]) =>
  expectRefused(service, ...asked)

const good = orderBody(wbtc, btc)
const withSource = (change: object) => ({ ...good, source: { ...good.source, ...change } })
const withDestination = (change: object) => ({ ...good, destination: { ...good.destination, ...change } })
const TEXT = /destination\.amount(:| must be) .*a positive integer in the smallest unit,? as a decimal string/

describe('POST /orders', () => {
  test.each<[string, unknown, ErrorCode, RegExp]>([
    ...[5, 1.5, true, {}, ['1'], '1.5', '-1', '0', '01', '+1', '1e6', ' 1', '', '0x10', '１２３', '٣', `1${'0'.repeat(80)}`, null].map(
      (value): [string, unknown, ErrorCode, RegExp] => [
        `destination.amount ${JSON.stringify(value).slice(0, 20)}`,
        withDestination({ amount: value }),
        'bad_request',
        TEXT,
      ],
    ),
    ...[true, [], {}, 7].map((value): [string, unknown, ErrorCode, RegExp] => [
      `source ${JSON.stringify(value)}`,
      { ...good, source: value },
      'bad_request',
      /source/,
    ]),
    ['source null', { ...good, source: null }, 'bad_request', /source: expected .*object.*, got null/],
    ['destination text', { ...good, destination: btc }, 'bad_request', /destination: expected .*object.*, got "bitcoin_regtest:btc"/],
    ['a number as asset', withSource({ asset: 5 }), 'bad_request', /source\.asset: expected an asset as <chain>:<token>, got 5/],
    ['no asset id', withDestination({ asset: 'btc' }), 'bad_request', /destination\.asset: asset "btc" is not of the form <chain>:<token>/],
    [
      'an asset of another network',
      withSource({ asset: 'ethereum:wbtc' }),
      'unsupported_pair',
      /source\.asset: asset "ethereum:wbtc" is not known here/,
    ],
    [
      'assets of two other networks',
      { source: { ...good.source, asset: 'bitcoin_testnet:btc' }, destination: { ...good.destination, asset: 'ethereum:wbtc' } },
      'unsupported_pair',
      /source\.asset: asset "bitcoin_testnet:btc"/,
    ],
    ['the same asset in capitals', withDestination({ asset: wbtc.toUpperCase(), owner: bob }), 'unsupported_pair', /itself/],
    ['an inactive destination', withDestination({ asset: inactive, owner: bob }), 'unsupported_pair', /destination\.asset: .* not active/],
    [
      'null as recipient',
      withDestination({ owner: null }),
      'bad_request',
      /destination\.owner: expected an address on its chain, as a string, got null/,
    ],
    ['a list as recipient', withDestination({ owner: [alice] }), 'bad_request', /destination\.owner: expected an address/],
    ['a long owner', withSource({ owner: `0x${'a'.repeat(200)}` }), 'bad_request', /source\.owner: expected an address/],
    [
      'a number as delegate',
      withSource({ delegate: 1 }),
      'bad_request',
      /source\.delegate: expected an address on its chain, as a string, got 1/,
    ],
    [
      'a boolean as slippage',
      { ...good, slippage: true },
      'bad_request',
      /slippage: expected a whole number of bips from 0 to 500, got true/,
    ],
    ['a huge slippage', { ...good, slippage: 1e80 }, 'bad_request', /slippage: expected a whole number of bips from 0 to 500/],
    ['a number as solver', { ...good, solver_id: 1 }, 'bad_request', /solver_id: expected the id of a solver, as a string, got 1/],
    ['an empty solver', { ...good, solver_id: '' }, 'bad_request', /solver_id is not the id of a solver here/],
    ['an inherited solver', { ...good, solver_id: '__proto__' }, 'bad_request', /solver_id is not the id of a solver here/],
    [
      'an object as affiliates',
      { ...good, affiliate_fees: { address: bob, fee: 1 } },
      'bad_request',
      /affiliate_fees: expected at most 10 items/,
    ],
    [
      'a negative fee',
      { ...good, affiliate_fees: [{ address: bob, fee: -1 }] },
      'bad_request',
      /^affiliate_fees\.0\.fee: expected a whole number of bips, 0 or more, got -1$/,
    ],
    [
      'a fee as text',
      { ...good, affiliate_fees: [{ address: bob, fee: '1' }] },
      'bad_request',
      /^affiliate_fees\.0\.fee: expected .*, got "1"$/,
    ],
    ['no address', { ...good, affiliate_fees: [{ fee: 1 }] }, 'bad_request', /^affiliate_fees\.0\.address is missing: expected an address/],
    ['a huge fee', { ...good, affiliate_fees: [{ address: bob, fee: 1e80 }] }, 'bad_request', /affiliate_fees/],
    [
      'a negative nonce',
      { ...good, nonce: -1 },
      'bad_request',
      /nonce: expected a whole number, or a string of 1 to 128 printable ASCII characters, got -1/,
    ],
    ['a boolean as nonce', { ...good, nonce: false }, 'bad_request', /nonce: expected .* got false/],
    ['unicode digits as nonce', { ...good, nonce: '１' }, 'bad_request', /nonce: expected .* printable ASCII/],
    ['a long nonce', { ...good, nonce: '1'.repeat(129) }, 'bad_request', /nonce: expected a whole number, or a string of 1 to 128/],
  ])('%s', (_name, body, code, words) => expectRefusal('POST', '/v2/orders', { body }, code, words))

  test.each<[string, Call, ErrorCode, RegExp]>([
    ['a trailing comma', { raw: '{"source":{},}' }, 'bad_request', /the body is not valid JSON/],
    ['NaN', { raw: '{"slippage":NaN}' }, 'bad_request', /the body is not valid JSON/],
    ['single quotes', { raw: "{'source':1}" }, 'bad_request', /the body is not valid JSON/],
    ['two values', { raw: '{} {}' }, 'bad_request', /the body is not valid JSON/],
    ['a zero byte', { raw: '{}\u0000' }, 'bad_request', /the body is not valid JSON/],
    ['null', { raw: 'null' }, 'bad_request', /source/],
    ['nothing but space', { raw: '  ' }, 'bad_request', /the body is not valid JSON/],
    ['a poisoned constructor', { raw: '{"constructor":{"prototype":{"a":1}}}' }, 'bad_request', /the body is not valid JSON/],
    ['deep nesting', { raw: '['.repeat(30_000) }, 'bad_request', /the body is not valid JSON/],
    ['a compressed body', { raw: '\u001f\u008b', headers: { 'content-encoding': 'gzip' } }, 'bad_request', /the body is not valid JSON/],
    [
      'JSON of another kind',
      { body: good, headers: { 'content-type': 'application/json-patch+json' } },
      'unsupported_media_type',
      /content-type: application\/json/,
    ],
    ['XML', { raw: '<a/>', headers: { 'content-type': 'application/xml' } }, 'unsupported_media_type', /content-type: application\/json/],
    ['no content type', { raw: '{}', headers: { 'content-type': '' } }, 'unsupported_media_type', /content-type: application\/json/],
    [
      'an empty Idempotency-Key',
      { body: good, headers: { 'idempotency-key': '' } },
      'bad_request',
      /idempotency-key: expected 1 to 255 printable/,
    ],
    [
      'a long Idempotency-Key',
      { body: good, headers: { 'idempotency-key': 'x'.repeat(256) } },
      'bad_request',
      /idempotency-key: expected 1 to 255 printable/,
    ],
    [
      'an Idempotency-Key that is not ASCII',
      { body: good, headers: { 'idempotency-key': 'é' } },
      'bad_request',
      /idempotency-key: expected 1 to 255 printable/,
    ],
  ])('%s', (_name, call, code, words) => expectRefusal('POST', '/v2/orders', call, code, words))

  test.each<[string, object]>([
    ['invented', { destination: { ...good.destination, amount: '99000000' } }],
    ['expired', { source: { ...good.source, amount: '1000001' } }],
  ])('amounts of an %s quote are refused with the numbers of the solver', async (_name, change) => {
    for (const solver of [service.solver, service.secondSolver])
      solver.onOrder = ({ destination }) => refuse('price_moved', `${destination.amount} asked, 990000 now`)
    for (const solver_id of [undefined, 'first'])
      await expectRefusal('POST', '/v2/orders', { body: { ...good, ...change, solver_id } }, 'price_moved', /^[0-9]+ asked, 990000 now$/)
  })
})

describe('PATCH /orders/{id}', () => {
  const patch = (id: string, action: string, call: Call, code: ErrorCode, words: RegExp) =>
    expectRefusal('PATCH', `/v2/orders/${id}?action=${action}`, call, code, words)

  test.each(['cancel', 'INITIATE', 'redeem%20', '__proto__', 'toString', 'initiate,refund', 'x'.repeat(5000)])('action=%s', (action) =>
    patch(orders.created, action, { body: {} }, 'bad_request', /^action: expected initiate, redeem, refund or instant-refund, got "/),
  )

  test('a zero byte as action, or in an id', async () => {
    await patch(orders.created, '%00', { body: {} }, 'bad_request', /^action: a text must not contain NUL/)
    await patch('%00', 'refund', { body: {} }, 'bad_request', /^order_id: a text must not contain NUL/)
  })

  test.each<[string, Call, ErrorCode, RegExp]>([
    ['a list', { body: [] }, 'bad_request', /the request: expected/],
    ['a text', { body: 'refund' }, 'bad_request', /the request: expected/],
    ['broken JSON', { raw: '{' }, 'bad_request', /the body is not valid JSON/],
    [
      'a form',
      { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'unsupported_media_type',
      /application\/json/,
    ],
    ['10 MB', { body: { signature: 'x'.repeat(10_000_000) } }, 'payload_too_large', /the body is larger/],
    ['a number as address', { body: { address: 1 } }, 'bad_request', /address: expected an address on its chain, as a string, got 1/],
    [
      'a number as token',
      { body: { order_token: 1 } },
      'bad_request',
      /order_token: expected the order_token that POST \/orders returned, got 1/,
    ],
    [
      'a number as signature',
      { body: { signature: 1 } },
      'bad_request',
      /signature: expected a signature, as a string, or as an array.* got 1/,
    ],
    [
      'a number in a signature',
      { body: { signature: ['0x1', 2] } },
      'bad_request',
      /signature\.1: expected a part of a signature, as a string .*got 2/,
    ],
    ['a signature of no parts', { body: { signature: [] } }, 'bad_request', /signature: expected a signature/],
    [
      'a signature of 101 parts',
      { body: { signature: Array.from({ length: 101 }, () => '1') } },
      'bad_request',
      /signature: expected a signature/,
    ],
    [
      'an overlong part of a signature',
      { body: { signature: ['1'.repeat(201)] } },
      'bad_request',
      /signature\.0: expected a part of a signature/,
    ],
    ['an overlong signature', { body: { signature: 'a'.repeat(20_001) } }, 'bad_request', /signature: expected a signature/],
    [
      'a short secret',
      { body: { secret: SECRET.slice(1) } },
      'bad_request',
      /^secret: expected the secret of secret_hash: 32 bytes as hex, 64 characters, with or without 0x$/,
    ],
    ['a number as secret', { body: { secret: 5 } }, 'bad_request', /^secret: expected the secret of secret_hash/],
    ['one signature for all', { body: { signatures: '0'.repeat(130) } }, 'bad_request', /signatures: expected an array of signatures/],
    ['a number among signatures', { body: { signatures: [5] } }, 'bad_request', /signatures\.0: expected a signature, as a string.* got 5/],
    [
      'an overlong signature among signatures',
      { body: { signatures: ['a'.repeat(20_001)] } },
      'bad_request',
      /signatures\.0: expected a signature, as a string/,
    ],
    [
      'too many signatures',
      { body: { signatures: Array.from({ length: 101 }, () => '0'.repeat(130)) } },
      'bad_request',
      /signatures: expected an array/,
    ],
  ])('%s', async (_name, call, code, words) => {
    for (const action of ['initiate', 'redeem', 'refund', 'instant-refund']) await patch(orders.clientSecret, action, call, code, words)
  })

  test('of an unknown order, or an order of another app', async () => {
    for (const action of ['initiate', 'redeem', 'refund', 'instant-refund']) {
      for (const id of ['f'.repeat(64), 'f'.repeat(63), '%EF%BC%91'])
        await patch(id, action, { body: {} }, 'not_found', /there is no order "/)
      await patch(orders.clientSecret, action, { body: {}, headers: { 'service-app-id': service.otherAppId } }, 'forbidden', /another app/)
    }
  })

  test.each<['created' | 'clientSecret' | 'done', string, object, ErrorCode, RegExp]>([
    ['created', 'redeem', { secret: SECRET }, 'bad_request', /this order needs no secret from you/],
    ['created', 'refund', {}, 'conflict', /there is nothing to refund: no deposit was seen/],
    ['created', 'instant-refund', { signatures: [] }, 'conflict', /there is nothing to refund: no deposit was seen/],
    ['created', 'initiate', { signature: 'signed by someone else' }, 'invalid_signature', /signature/],
    ['clientSecret', 'initiate', { signature: '0x00' }, 'bad_request', /not supported for initiations of bitcoin_regtest:btc/],
    ['clientSecret', 'redeem', { secret: 'ab'.repeat(32) }, 'bad_request', /secret is not the secret of this order/],
    ['clientSecret', 'redeem', {}, 'bad_request', /secret is missing: expected 32 bytes as hex/],
    ['clientSecret', 'redeem', { secret: SECRET }, 'conflict', /source is not initiated/],
    ['clientSecret', 'refund', {}, 'conflict', /there is nothing to refund/],
    ['clientSecret', 'instant-refund', { signatures: [] }, 'conflict', /there is nothing to refund: no deposit was seen/],
    [
      'done',
      'initiate',
      {},
      'bad_request',
      /signature is missing: expected a signature over typed_data, or the signed versioned_tx_gasless, as a string/,
    ],
    ['done', 'refund', {}, 'conflict', /there is nothing to refund: the order is counterparty_redeemed/],
    ['done', 'refund', { address: bob }, 'forbidden', /the refund address of this order was given when it was made/],
  ])('order %s: %s %o', (name, action, body, code, words) => patch(orders[name], action, { body }, code, words))
})
