/** Tests the API client: errors, repeats, aborts and watching an order. */
import { errorStatus } from '@tandem/protocol/error.ts'
import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { ApiError, ChainUnavailableError, NetworkError, PriceMovedError } from './errors.ts'
import { watchOrder } from './watch.ts'

type Answer = { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> } | Error

const ok = (result: unknown): Answer => ({ status: 200, body: { status: 'Ok', error: null, result } })
const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  body: { status: 'Error', error: `refused: ${code}`, result: null, code },
  headers,
})

/** Answers in sequence; remembers what it was asked. */
function service(...answers: readonly Answer[]) {
  const asked: { url: string; init: RequestInit }[] = []
  const fake: typeof fetch = async (input, init = {}) => {
    asked.push({ url: String(input), init })
    const answer = answers[asked.length - 1] ?? new Error('no further answer')
    if (answer instanceof Error) throw answer
    return new Response(JSON.stringify(answer.body), { status: answer.status, ...(answer.headers && { headers: answer.headers }) })
  }
  return { asked, options: { baseUrl: 'https://api.example/v2', appId: 'app', fetch: fake } }
}

test('every code of the API is an error of its own class', async () => {
  const classes = new Set<unknown>()
  for (const [code, status] of Object.entries(errorStatus)) {
    const { options } = service(refusal(status, code))
    const error = await createClient({ ...options, retries: 0 })
      .health()
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code, httpStatus: status })
    expect(error).toBeInstanceOf(ApiError)
    classes.add((error as Error).constructor)
  }
  expect(classes.size).toBe(Object.keys(errorStatus).length)
  expect(classes).not.toContain(ApiError)
})

test('an order is asked for again with the same key and body; a refusal is not repeated', async () => {
  const { asked, options } = service(new TypeError('connection lost'), refusal(503, 'chain_unavailable'), ok({ order_id: 'x' }))
  const request = { source: { asset: 'a:b', amount: '1' }, destination: { asset: 'c:d', amount: '1', owner: 'me' } }
  expect(await createClient(options).createOrder(request)).toEqual({ order_id: 'x' })
  const sent = asked.map(({ init }) => [new Headers(init.headers).get('idempotency-key'), init.body])
  expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(sent).toHaveLength(3)
  expect(sent[0]?.[0]).toMatch(/^[0-9a-f-]{36}$/)

  const refused = service(refusal(400, 'price_moved'))
  await expect(createClient(refused.options).createOrder(request)).rejects.toBeInstanceOf(PriceMovedError)
  expect(refused.asked).toHaveLength(1)
})

test('a long Retry-After is not waited for; answers without the envelope are network errors', async () => {
  const busy = service(refusal(503, 'chain_unavailable', { 'retry-after': '900' }))
  await expect(createClient(busy.options).health()).rejects.toBeInstanceOf(ChainUnavailableError)
  expect(busy.asked).toHaveLength(1)
  const { options } = service({ status: 502, body: 'bad gateway' })
  await expect(createClient({ ...options, retries: 0 }).health()).rejects.toBeInstanceOf(NetworkError)
})

test('an aborted call rejects with the reason, also while it waits for a repeat', async () => {
  const { asked, options } = service(refusal(503, 'chain_unavailable', { 'retry-after': '20' }))
  const stop = new AbortController()
  const call = createClient(options).quote({ from: 'a:b', to: 'c:d', from_amount: '1' }, { signal: stop.signal })
  await expect.poll(() => asked.length).toBe(1)
  // The answer is read meanwhile, and the wait begins.
  await new Promise((resolve) => setTimeout(resolve, 20))
  stop.abort(new Error('the user left'))
  await expect(call).rejects.toThrow('the user left')
  expect(asked[0]?.url).toBe('https://api.example/v2/quote?from=a%3Ab&to=c%3Ad&from_amount=1')
})

test.each([
  ['by events', true],
  ['by polling where there are no events', false],
])('an order is watched %s', async (_, hasEvents) => {
  let status = 'created'
  const next = { created: 'initiated', initiated: 'redeemed' } as const
  const streams: ReadableStreamDefaultController<Uint8Array>[] = []
  let isLeft = false
  const encode = (text: string) => new TextEncoder().encode(text)
  const options = {
    baseUrl: 'https://api.example/v2',
    appId: 'app',
    // With events the order must not be polled before this test ends.
    pollMs: hasEvents ? 3_600_000 : 1,
    fetch: (async (input) => {
      if (!String(input).endsWith('/events')) {
        return Response.json({ status: 'Ok', error: null, result: { order_id: 'x', status } })
      }
      if (!hasEvents) return new Response('no such route', { status: 404 })
      return new Response(
        new ReadableStream({
          start: (stream) => {
            streams.push(stream)
            stream.enqueue(encode(':\n\n'))
          },
          cancel: () => {
            isLeft = true
          },
        }),
      )
    }) as typeof fetch,
  }
  const seen: string[] = []
  for await (const record of watchOrder(createClient(options), options, 'x')) {
    seen.push(record.status)
    status = next[status as keyof typeof next] ?? status
    // In two parts: an event need not arrive at once.
    streams[0]?.enqueue(encode('id: 1\nda'))
    streams[0]?.enqueue(encode(`ta: {"status":"${status}"}\n\n`))
  }
  expect(seen).toEqual(['created', 'initiated', 'redeemed'])
  if (hasEvents) await expect.poll(() => isLeft).toBe(true)
})
