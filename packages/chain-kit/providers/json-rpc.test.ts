/** Tests a provider that misbehaves in JSON-RPC, alone and in batches. */
import { describe, expect, it } from 'vitest'
import { createProviderHttp } from './http.ts'
import { createJsonRpc } from './json-rpc.ts'
import { Refusal } from './refusal.ts'
import { closeServersAfterEach, serve, serveText } from './wire.fixture.ts'

closeServersAfterEach()

const options = {
  version: '2.0',
  timeoutMs: 5_000,
  troubleIn: ({ code }: Refusal) => (code === -28 ? 'it is still starting' : null),
} as const
const rpcAt = (url: string) => createJsonRpc(createProviderHttp(url), options)

describe('a call', () => {
  it.each([
    ['no JSON', '<html>', 502, 'HTTP 502 without JSON'],
    ['no credentials', '', 401, 'the provider refuses our credentials (HTTP 401)'],
    ['a full work queue', 'Work queue depth exceeded', 503, 'the provider is too busy to answer (HTTP 503)'],
    ['no result', '{"message":"sorry"}', 500, 'HTTP 500 without a result'],
    ['a bare value', '"x"', 200, 'HTTP 200 without a JSON-RPC answer'],
    ['trouble of its own', '{"error":{"code":-28,"message":"Loading block index…"}}', 500, 'it is still starting'],
  ])('answered with %s is unreachable', async (_, body, status, why) => {
    await expect(rpcAt(await serveText(body, status)).call('getblockcount', [])).rejects.toMatchObject({
      kind: 'unreachable',
      message: `getblockcount: ${why}`,
    })
  })

  it.each([
    ['the status', '{"message":"slow down"}', 429],
    ['the status, without JSON', '<html>', 429],
    ['a code', '{"error":{"code":429,"message":"see your plan"}}', 200],
    ['another code', '{"error":{"code":-32429,"message":"see your plan"}}', 200],
    ['words', '{"error":{"code":-32000,"message":"Too many requests"}}', 200],
  ])('that the provider limits by %s is said to be limited, whatever the method', async (_, body, status) => {
    const rpc = rpcAt(await serveText(body, status))
    for (const method of ['getblockcount', 'getblock'])
      await expect(rpc.call(method, [])).rejects.toMatchObject({
        name: 'RateLimited',
        message: expect.stringMatching(/^the provider 127\.0\.0\.1:[0-9]+ limits our requests; waiting 1 s$/),
      })
  })

  it('that is refused carries code, message and data of the refusal, with any HTTP status', async () => {
    const url = await serveText('{"error":{"code":-5,"message":"No such transaction","data":[1]},"result":null}', 500)
    const refusal = await rpcAt(url)
      .call('getrawtransaction', [])
      .catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ code: -5, message: 'No such transaction', data: [1] })
  })

  it('gives the result, which may be null', async () => {
    const url = await serve((_, response, body) => {
      const { jsonrpc, method, params } = JSON.parse(body)
      response.end(JSON.stringify({ error: null, result: method === 'nothing' ? null : { jsonrpc, method, params } }))
    })
    expect(await rpcAt(url).call('echo', [1, 'a'])).toEqual({ jsonrpc: '2.0', method: 'echo', params: [1, 'a'] })
    expect(await rpcAt(url).call('nothing', [])).toBeNull()
  })

  it('may have its own timeout', async () => {
    await expect(rpcAt(await serveText(null)).call('scan', [], 50)).rejects.toMatchObject({ message: 'scan: no answer within 50 ms' })
  })

  it('is not retried over a new connection if its method is not repeatable', async () => {
    const seen: string[] = []
    const url = await serve((request, _, body) => {
      seen.push(JSON.parse(body).method)
      request.socket.destroy()
    })
    const rpc = createJsonRpc(createProviderHttp(url), { ...options, isRepeatable: (method) => method !== 'send' })
    await expect(rpc.call('send', [])).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(rpc.call('read', [])).rejects.toMatchObject({ kind: 'unreachable' })
    expect(seen).toEqual(['send', 'read', 'read'])
  })
})

describe('a batch', () => {
  const calls = ['a', 'b', 'c'].map((method) => ({ method, params: [] }))
  type Asked = { readonly id: number; readonly method: string }
  const batchAt = (answer: (asked: readonly Asked[]) => unknown) =>
    serve((_, response, body) => response.end(JSON.stringify(answer(JSON.parse(body)))))

  it('is one request, and its answers come in the order of the calls, refusals in their places', async () => {
    const url = await batchAt((asked) =>
      asked
        .map(({ id, method }) => (method === 'b' ? { id, error: { code: -5, message: 'gone' } } : { id, result: `${method}!` }))
        .toReversed(),
    )
    const [a, b, c] = await rpcAt(url).batch(calls)
    expect([a, c]).toEqual(['a!', 'c!'])
    expect(b).toBeInstanceOf(Refusal)
    expect(b).toMatchObject({ code: -5, message: 'gone' })
    expect(await rpcAt('http://127.0.0.1:1').batch([])).toEqual([])
  })

  it('with an answer left out is unreachable', async () => {
    const url = await batchAt(([first]) => [{ id: first?.id, result: 1 }])
    await expect(rpcAt(url).batch(calls)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'b: the provider left its answer out of the batch',
    })
  })

  it('answered with one error for all is refused as a whole', async () => {
    const refused = await batchAt(() => ({ error: { code: -32600, message: 'no batches' } }))
    await expect(rpcAt(refused).batch(calls)).rejects.toMatchObject({ name: 'Refusal', message: 'no batches' })
    const troubled = await batchAt(() => ({ error: { code: -28, message: 'Loading…' } }))
    await expect(rpcAt(troubled).batch(calls)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})
