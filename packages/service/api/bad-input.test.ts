// Bad requests to every endpoint get a clear error in the envelope and change nothing in the database.
import { connect } from 'node:net'
import { createApp, setAppDisabled } from '@tandem/party/store/apps/apps.ts'
import type { ErrorCode } from '@tandem/protocol/error.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ApiDocument, listOperations } from '../../reference/document/document.ts'
import { writeApiDocument } from '../../reference/document/openapi.ts'
import { btc, type Call, inactive, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'
import { expectRefused } from './fuzz/expect-refused.fixture.ts'

const service = sharedService()
let document: ApiDocument
let order = ''
beforeAll(async () => {
  document = await writeApiDocument()
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  order = (body.result as { order_id: string }).order_id
})

const expectRefusal = (...asked: [method: string, path: string, call: Call, code: ErrorCode, words: RegExp]) =>
  expectRefused(service, ...asked)

const notIntegers = [
  '1.5',
  '1.0',
  '-1',
  '-0',
  '01',
  '%2B1',
  '+1',
  '%201',
  '1%20',
  '1e2',
  '0x1',
  '1_0',
  '1,0',
  '%D9%A3',
  '%EF%BC%91',
  'NaN',
  'null',
  '',
  `1${'0'.repeat(80)}`,
]

type QueryRow = [query: string, code: ErrorCode, words: RegExp]
const each = (field: string, values: readonly string[], words: RegExp, rest = ''): QueryRow[] =>
  values.map((value) => [`${rest}${field}=${value}`, 'bad_request', words])
const get = (path: string, rows: readonly QueryRow[]) =>
  describe(`GET ${path}`, () => {
    test.each<QueryRow>([...rows])('?%s', (query, code, words) => expectRefusal('GET', `/v2${path}?${query}`, {}, code, words))
  })

describe('every operation', () => {
  test('needs the id of an app that is known and not disabled', async () => {
    const { appId: former } = await createApp(service.db, 'former')
    await setAppDisabled(service.db, 'former', true)
    for (const { method, path } of listOperations(document).filter((operation) => operation.path.startsWith('/v2'))) {
      for (const id of ['', 'f'.repeat(64), former, 'f'.repeat(63), `0x${service.appId}`])
        await expectRefusal(method, path, { headers: { 'service-app-id': id } }, 'unauthorized', /service-app-id/)
    }
  })

  test('refuses methods that the document does not list', async () => {
    const known = listOperations(document).map(({ method, path }) => `${method} ${path}`)
    for (const path of Object.keys(document.paths)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !known.includes(`${name} ${path}`)))
        await expectRefusal(method, path, {}, 'method_not_allowed', new RegExp(`there is no ${method} /.*this path takes `))
    }
  })

  test('refuses a query parameter that it does not have, before it does anything', async () => {
    for (const { method, path } of listOperations(document).filter((operation) => operation.path.startsWith('/v2')))
      await expectRefusal(
        method,
        `${path}?no_such_thing=1`,
        method === 'GET' ? {} : { body: orderBody(btc, wbtc) },
        'bad_request',
        /there is no query parameter "no_such_thing"/,
      )
    await expectRefusal(
      'GET',
      '/v2/orders?owner=x',
      {},
      'bad_request',
      /"owner": there are address, .*; do you mean "from_owner" or "to_owner"\?/,
    )
    await expectRefusal('GET', `/v2/orders/${order}?acton=x`, {}, 'bad_request', /"acton": this path takes none/)
  })
})

const pair = `from=${btc}&to=${wbtc}&`
const amount = `${pair}from_amount=1000000&`
get('/quote', [
  ...each('to_amount', notIntegers, /to_amount must be a positive integer in the smallest unit as a decimal string/, pair),
  ...each('from_amount', ['%201', '1_0', '1,0', '%D9%A3', 'NaN', 'null'], /from_amount must be a positive integer/, pair),
  ...each('slippage', notIntegers, /slippage: expected a whole number of bips from 0 to 500, got/, amount),
  ...each('affiliate_fee', notIntegers, /affiliate_fee: expected a whole number of bips, 0 or more, got/, amount),
  ...each('indicative', ['', '1', 'TRUE', 'null'], /indicative: expected true or false, got/, amount),
  [`${pair}from_amount=${2n ** 256n}`, 'bad_request', /from_amount does not fit in 256 bits/],
  [`${pair}to_amount=9999`, 'amount_out_of_range', /to_amount must be from 10000 to 100000000 .* ethereum_localnet:wbtc, got 9999/],
  [
    `${pair}from_amount=100000001`,
    'amount_out_of_range',
    /from_amount must be from 10000 to 100000000 .* bitcoin_regtest:btc, got 100000001/,
  ],
  [`from=${btc}&from_amount=1000000`, 'bad_request', /to is missing: expected an asset as <chain>:<token>/],
  [`from[]=${btc}&to=${wbtc}&from_amount=1000000`, 'bad_request', /there is no query parameter "from\[\]".*do you mean "from"/],
  [`from=&to=${wbtc}&from_amount=1000000`, 'bad_request', /from: asset "" is not of the form <chain>:<token>/],
  [`from=${btc}&to=wbtc&from_amount=1000000`, 'bad_request', /to: asset "wbtc" is not of the form <chain>:<token>/],
  [`from=${btc}&to=%20${wbtc}&from_amount=1000000`, 'bad_request', /to: .* <chain>:<token>/],
  [`from=${'x'.repeat(5000)}&to=${btc}&from_amount=1000000`, 'bad_request', /from: asset "x{90}" is not of the form <chain>:<token>/],
  [`from=${btc}&to=${'x'.repeat(5000)}:y&from_amount=1000000`, 'unsupported_pair', /to: asset "x{90}" is not known here/],
  [`from=${wbtc}&to=${wbtc.toUpperCase()}&from_amount=1000000`, 'unsupported_pair', /ethereum_localnet:wbtc cannot be swapped for itself/],
  [
    'from=bitcoin_testnet:btc&to=ethereum:wbtc&from_amount=1000000',
    'unsupported_pair',
    /from: asset "bitcoin_testnet:btc" is not known here/,
  ],
  [`from=${btc}&to=ethereum:wbtc&from_amount=1000000`, 'unsupported_pair', /to: asset "ethereum:wbtc" is not known here/],
  [`from=${inactive}&to=${btc}&from_amount=1000000`, 'unsupported_pair', /from: asset "arbitrum_localnet:wbtc" is listed but not active/],
  [`${pair}to=${wbtc}&from_amount=1000000`, 'bad_request', /to: expected .* got a list/],
  [`${pair}to_amount=1000000&to_amount=1000000`, 'bad_request', /to_amount: expected .* got a list/],
  [`${amount}slippage=1&slippage=1`, 'bad_request', /slippage: expected .* got a list/],
  [`${amount}affiliate_fee=1&affiliate_fee=1`, 'bad_request', /affiliate_fee: expected .* got a list/],
  [`${amount}indicative=true&indicative=true`, 'bad_request', /indicative: expected .* got a list/],
])

for (const path of ['/chains', '/assets']) {
  get(path, [
    ['from=btc', 'bad_request', /from: asset "btc" is not of the form <chain>:<token>/],
    ['from=moon:cheese', 'unsupported_pair', /from: asset "moon:cheese" is not known here/],
    ['from=moon:cheese&chain=moon', 'unsupported_pair', /from: asset "moon:cheese" is not known here/],
    ['from=ethereum:wbtc', 'unsupported_pair', /from: asset "ethereum:wbtc" is not known here/],
    [`from=${inactive}`, 'unsupported_pair', /from: .* is listed but not active/],
    [`from=${btc}&from=${btc}`, 'bad_request', /from: expected an asset .* got a list/],
    ['chain=moon', 'bad_request', /chain: expected a chain that GET \/chains lists, got "moon"/],
    ['chain=bitcoin_regtest,', 'bad_request', /chain: expected a chain name/],
    ['from=ethereum_localnet:wbct', 'unsupported_pair', /"ethereum_localnet:wbct" is not known here; do you mean "ethereum_localnet:wbtc"/],
    ['chain=bitcoin_regtest&chain=ethereum_localnet', 'bad_request', /chain: expected a chain name .* got a list/],
    ...each('active', ['', '1', 'TRUE', 'no'], /active: expected true or false, got/),
    ['active=true&active=true', 'bad_request', /active: expected true or false, got a list/],
  ])
}

const lists = ['address', 'tx_hash', 'from_chain', 'to_chain', 'from_owner', 'to_owner', 'solver_id', 'integrator', 'status']
get('/orders', [
  ...each('page', notIntegers, /page: expected a whole number from 1, got/),
  ...each('per_page', notIntegers, /per_page: expected a whole number from 1 to 500, got/),
  ...lists.flatMap((field) => each(field, ['', ',', 'a,', '%C3%A9', `a&${field}=a`], new RegExp(`^${field}: expected `))),
  ...lists.flatMap((field) =>
    each(field, [Array.from({ length: 101 }, (_, n) => n).join(',')], new RegExp(`^${field}: expected at most 100 values, got 101`)),
  ),
  ['from_chain=bitcoin_testnet', 'bad_request', /from_chain: expected a chain that GET \/chains lists, got "bitcoin_testnet"/],
  [
    'to_chain=ethereum',
    'bad_request',
    /to_chain: expected a chain that GET \/chains lists, got "ethereum"; do you mean "ethereum_localnet"/,
  ],
])

for (const path of ['/volume', '/fees', '/fee']) {
  get(path, [
    ...['from', 'to'].flatMap((field) => each(field, notIntegers, new RegExp(`${field}: expected a time in unix seconds.*, got`))),
    ['from=2&to=1', 'bad_request', /from: expected a time that is not later than to, got 2 and 1/],
    ['source_chain=bitcoin_testnet', 'bad_request', /source_chain: expected a chain that GET \/chains lists, got "bitcoin_testnet"/],
    ['destination_chain=moon', 'bad_request', /destination_chain: expected a chain .* got "moon"/],
    ...['source_chain', 'destination_chain', 'address'].flatMap((field) =>
      each(field, ['', 'a,', `a&${field}=a`], new RegExp(`^${field}: expected `)),
    ),
  ])
}

test.each<[string, RegExp]>([
  ['/v2/schemas/nothing', /there is no schema "nothing"; there are .*evm:htlc/],
  ['/v2/schemas/__proto__', /there is no schema/],
  ['/v2/schemas/..%2F..%2Fpackage.json', /there is no schema/],
  ['/icons/__proto__.svg', /there is no icon/],
  ['/icons/..%2Fbtc.svg', /there is no icon/],
  ['/icons/btc', /there is no icon/],
  ...['', '/funding', '/instant-refund-hash'].flatMap((rest) =>
    ['f'.repeat(64), 'f'.repeat(63), 'f'.repeat(65), `0x${'f'.repeat(64)}`, 'g'.repeat(64), `${'f'.repeat(63)}%EF%BC%91`, '..%2F'].map(
      (id): [string, RegExp] => [`/v2/orders/${id}${rest}`, /there is no order "/],
    ),
  ),
])('GET %s is not found', (path, words) => expectRefusal('GET', path, {}, 'not_found', words))

test.each(['funding', 'instant-refund-hash'])('GET /orders/{id}/%s is refused to other apps', (rest) =>
  expectRefusal('GET', `/v2/orders/${order}/${rest}`, { headers: { 'service-app-id': service.otherAppId } }, 'forbidden', /another app/),
)

test('refuses an HTTP/1.1 request without Host, in the envelope; accepts it with HTTP/1.0', async () => {
  const { port } = new URL(service.url)
  const ask = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
      socket.on('error', reject)
    })
  const refused = await ask('GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n')
  expect(refused).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).toEqual({
    status: 'Error',
    error: expect.stringContaining('Host'),
    result: null,
    code: 'bad_request',
  })
  expect(await ask('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})

/** PostgreSQL refuses the character NUL, so no parameter, path or field may carry it there. */
test('in every parameter and path of every operation it is refused, never an error of ours', async () => {
  const asked: string[] = []
  for (const { path, method, operation } of listOperations(document))
    for (const { name, in: place } of (operation.parameters ?? []).filter((one) => one.in === 'query' || one.in === 'path'))
      for (const nul of ['%00', 'a%00b']) {
        const filled = path.replaceAll(/\{([^}]*)\}/g, (_, one) => (one === name ? nul : '0'.repeat(64)))
        const url = `${filled}${place === 'query' ? `?${name}=${nul}` : ''}`
        const target = url.startsWith('/v2') ? url : `/v2${url}`
        const { status, body } = await service.call(method, target, method === 'GET' ? {} : { body: {} })
        asked.push(target)
        expect({ target, status, code: body.code }).toEqual({
          target,
          status: expect.toSatisfy((one) => [400, 404].includes(one)),
          code: expect.any(String),
        })
      }
  expect(asked.some((url) => url.startsWith('/v2/apps/earnings?address=%00'))).toBe(true)
  expect(asked.length).toBeGreaterThan(40)
})

function* replacing(value: unknown, text: string): Generator<unknown> {
  if (typeof value === 'string') yield text
  else if (Array.isArray(value))
    for (const [index, part] of value.entries()) for (const changed of replacing(part, text)) yield value.with(index, changed)
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) for (const changed of replacing(part, text)) yield { ...value, [name]: changed }
}

test('in every field of a body it is refused, and the field is named', async () => {
  const whole = {
    ...orderBody(btc, wbtc),
    nonce: 'a',
    quote_id: 'a',
    solver_id: 'a',
    secret_hash: 'a',
    affiliate_fees: [{ address: 'a', fee: 1, asset: 'a' }],
    unknown: { deep: ['a'] },
  }
  let count = 0
  for (const body of replacing(whole, 'x\0')) {
    count += 1
    expect(await service.call('POST', '/v2/orders', { body })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', error: expect.stringContaining('must not contain NUL') },
    })
  }
  expect(count).toBeGreaterThan(10)
  for (const action of ['redeem', 'refund', 'instant-refund', 'initiate'])
    for (const body of replacing({ secret: 'a', order_token: 'a', address: 'a', signature: 'a', signatures: ['a'] }, '\0'))
      expect(await service.call('PATCH', `/v2/orders/${'0'.repeat(64)}?action=${action}`, { body })).toMatchObject({ status: 400 })
})
