/** Tests HTTP to a provider that resets connections, needs a password or does not answer. */
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createProviderHttp } from './http.ts'
import { closeServersAfterEach, serve, serveText } from './wire.fixture.ts'

closeServersAfterEach()

const question = { what: 'a question', body: 'question', timeoutMs: 5_000 }

describe('a connection that the provider resets', () => {
  async function startResetting(resets: number) {
    const seen = { requests: 0 }
    const url = await serve((request, response) => {
      seen.requests += 1
      if (seen.requests <= resets) request.socket.destroy()
      else response.end(`answer ${seen.requests}`, () => request.socket.destroy())
    })
    return { http: createProviderHttp(url), seen }
  }

  it('is followed by one retry', async () => {
    const { http } = await startResetting(1)
    expect((await http.request(question)).text()).toBe('answer 2')
  })

  it('is followed by no second retry', async () => {
    const { http, seen } = await startResetting(2)
    await expect(http.request(question)).rejects.toMatchObject({ kind: 'unreachable', message: 'a question: ECONNRESET' })
    expect(seen.requests).toBe(2)
  })

  it('is followed by no retry if the request is not repeatable', async () => {
    const { http, seen } = await startResetting(1)
    await expect(http.request({ ...question, repeatable: false })).rejects.toMatchObject({ kind: 'unreachable' })
    expect(seen.requests).toBe(1)
  })
})

it('sends the user name and password of the URL as Basic authentication, and not as part of the URL', async () => {
  const url = await serve(({ headers, url: path }, response) => response.end(`${headers.authorization} ${path}`))
  const http = createProviderHttp(url.replace('http://', 'http://us%40er:pass%3Aw%C3%B6rd@'))
  const credentials = Buffer.from('us@er:pass:wörd').toString('base64')
  expect((await http.request({ ...question, path: '/tip' })).text()).toBe(`Basic ${credentials} /a-key-in-the-path/tip`)
})

describe('the headers of a provider', () => {
  const withKey = (url: string) =>
    createProviderHttp({ url, headers: { 'x-api-key': 'api-key-value', authorization: 'Bearer bearer-value' } })

  it('are sent with every request', async () => {
    const http = withKey(await serve(({ headers }, response) => response.end(`${headers['x-api-key']} ${headers.authorization}`)))
    for (const request of [question, { what: 'read', timeoutMs: 5_000 }])
      expect((await http.request(request)).text()).toBe('api-key-value Bearer bearer-value')
  })

  it('never follow a redirect to another host', async () => {
    const seen: unknown[] = []
    const other = await serve(({ headers }, response) => {
      seen.push(headers)
      response.end('other')
    })
    const http = withKey(await serve((_, response) => response.writeHead(307, { location: other }).end()))
    expect((await http.request(question)).status).toBe(307)
    expect(seen).toEqual([])
  })

  it('are in no error', async () => {
    for (const url of [await serveText(null), 'http://127.0.0.1:1/']) {
      const failure = (await withKey(url)
        .request({ ...question, timeoutMs: 50 })
        .catch((error: unknown) => error)) as Error
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/api-key-value|bearer-value/)
    }
  })
})

it('spaces requests where a rate is configured, and a transaction does not wait', async () => {
  const url = await serve((_, response) => response.end('ok'))
  const http = createProviderHttp({ url, headers: {}, requestsPerSecond: 1 })
  await http.request(question)
  // Half a minute of them is all that may wait.
  const waiting = Array.from({ length: 40 }, () => http.request(question).then(String, ({ message }: Error) => message))
  expect((await http.request({ ...question, isUrgent: true })).status).toBe(200)
  const refused = await Promise.all(waiting.slice(31))
  http.close()
  expect(new Set(refused)).toEqual(new Set(['a question: too many requests wait for this provider already']))
})

it('returns the bytes unchanged, with any status', async () => {
  const bytes = Buffer.from([0x00, 0xff, 0xfe, 0x80])
  const url = await serve((_, response) => response.writeHead(404).end(bytes))
  expect(await createProviderHttp(url).request({ what: 'bytes', timeoutMs: 5_000 })).toMatchObject({ status: 404, bytes })
})

it('posts JSON by default', async () => {
  const http = createProviderHttp(await serve(({ method, headers }, response) => response.end(`${method} ${headers['content-type']}`)))
  expect((await http.request(question)).text()).toBe('POST application/json')
  expect((await http.request({ ...question, contentType: 'text/plain' })).text()).toBe('POST text/plain')
  expect((await http.request({ what: 'read', timeoutMs: 5_000 })).text()).toBe('GET undefined')
})

it('fails at the timeout and at the size limit', async () => {
  const silent = createProviderHttp(await serveText(null))
  await expect(silent.request({ ...question, timeoutMs: 50 })).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'a question: no answer within 50 ms',
  })
  const long = createProviderHttp(await serveText('x'.repeat(2_000)), 1_000)
  await expect(long.request(question)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('1000 bytes') })
})

it('close aborts open requests, and later requests fail', async () => {
  const http = createProviderHttp(await serveText(null))
  const pending = http.request({ ...question, timeoutMs: 60_000 })
  http.close()
  await expect(pending).rejects.toMatchObject({ kind: 'unreachable', message: 'a question: the connection was closed' })
  await expect(http.request(question)).rejects.toMatchObject({ kind: 'unreachable', message: 'a question: the connection is closed' })
})

it('errors never quote the URL, the credentials or the body, which may hold a key or a secret', async () => {
  const secret = 'ab'.repeat(32)
  for (const [url, timeoutMs] of [
    [await serveText(null), 50],
    ['http://user:pass-word@127.0.0.1:1/a-key-in-the-path', 5_000],
  ] as const) {
    const failure = await createProviderHttp(url)
      .request({ what: 'a question', body: secret, timeoutMs })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    const { message, stack, cause } = failure as Error
    expect(`${message} ${stack} ${String(cause)}`).not.toMatch(/a-key-in-the-path|pass-word|abab/)
  }
})

describe('a provider that limits requests', () => {
  async function startLimiting(retryAfter: string | null) {
    const seen = { requests: 0 }
    const url = await serve((_request, response) => {
      seen.requests += 1
      response.writeHead(429, retryAfter === null ? {} : { 'retry-after': retryAfter }).end('slow down')
    })
    return { http: createProviderHttp(url), seen }
  }

  it.each([['7'], ['9999'], [new Date(Date.now() + 3_600_000).toUTCString()], [null], ['soon']])(
    'is not asked again before the time it names: %j',
    async (retryAfter) => {
      const { http, seen } = await startLimiting(retryAfter)
      for (const _ of [1, 2])
        await expect(http.request(question)).rejects.toMatchObject({
          name: 'RateLimited',
          kind: 'unreachable',
          message: expect.stringMatching(/^the provider 127\.0\.0\.1:[0-9]+ limits our requests; waiting ([1-9]|[12][0-9]|30) s$/),
        })
      expect(seen.requests).toBe(1)
    },
  )

  it('because it is overloaded is not asked again before the time it names', async () => {
    const seen = { requests: 0 }
    const url = await serve((_request, response) => {
      seen.requests += 1
      response.writeHead(503, { 'retry-after': '9' }).end('busy')
    })
    const http = createProviderHttp(url)
    expect((await http.request(question)).status).toBe(503)
    await expect(http.request(question)).rejects.toMatchObject({ name: 'RateLimited' })
    expect(seen.requests).toBe(1)
  })

  it('is asked again immediately if it names no time to wait', async () => {
    const { http, seen } = await startLimiting('0')
    for (const _ of [1, 2]) await expect(http.request(question)).rejects.toMatchObject({ name: 'RateLimited' })
    expect(seen.requests).toBe(2)
  })
})
