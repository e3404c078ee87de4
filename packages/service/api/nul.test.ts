/** PostgreSQL refuses the character NUL: no parameter, path or field may carry it there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { btc, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

type Operation = { readonly parameters?: readonly { readonly name: string; readonly in: string }[] }
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

test('in every parameter and path of every operation it is refused, never an error of ours', async () => {
  const { paths } = JSON.parse(String((await service.raw('/openapi.json', {})).body)) as Document
  const asked: string[] = []
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { parameters = [] }] of Object.entries(operations))
      for (const { name, in: place } of parameters.filter((one) => one.in === 'query' || one.in === 'path'))
        for (const nul of ['%00', 'a%00b']) {
          const filled = path.replaceAll(/\{([^}]*)\}/g, (_, one) => (one === name ? nul : '0'.repeat(64)))
          const url = `${filled}${place === 'query' ? `?${name}=${nul}` : ''}`
          const target = url.startsWith('/v2') ? url : `/v2${url}`
          const { status, body } = await service.call(method.toUpperCase(), target, method === 'get' ? {} : { body: {} })
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

/** The same with this text in the place of each text of it, one after the other. */
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
