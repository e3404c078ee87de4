// These tests show what the service believes of a solver's answer. packages/party/solver-auth tests the forms of signatures.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseInput, REQUEST_COMPONENTS } from '@tandem/party/solver-auth/message-signature.ts'
import { type SignedHeaders, signAnswer } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { SolverCosignRequest, SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSolverClient, type SolverClient, SolverFailure } from './solver-client.ts'

const serviceKey = createSigningKey('11'.repeat(32))
const solverKey = createSigningKey('22'.repeat(32))
const body = JSON.stringify({ solver_id: 'a' })

let answer: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => answer(request, response))
let solver: SolverClient
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
  solver = createSolverClient({ id: 'a', baseUrl, signingKey: serviceKey, publicKey: solverKey.publicKey, timeoutMs: 29_500 })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const signed = (request: IncomingMessage, status = 200, text = body, key = solverKey): SignedHeaders =>
  signAnswer(key, { status, body: text, requestSignature: String(request.headers.signature), nowMs: Date.now() })
const reply = (status: number, text: string, headers: (request: IncomingMessage) => object) => {
  answer = (request, response) => void response.writeHead(status, { ...headers(request) }).end(text)
}

test('calls /v1 below the base URL, for this solver only, and says how long it waits', async () => {
  const seen: IncomingMessage[] = []
  answer = (request, response) => {
    seen.push(request)
    response.writeHead(200, { ...signed(request) }).end(body)
  }
  expect(await solver.health()).toEqual({ solver_id: 'a' })
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/base/v1/health', headers: { 'tandem-recipient': solverKey.publicKey } })
  const { created = 0, expires = 0 } = parseInput(String(seen[0]?.headers['signature-input']), REQUEST_COMPONENTS) ?? {}
  expect(expires - created).toBe(30)
})

test('a solver that reads its chains before it signs gets longer than any other', async () => {
  const waits = new Map<string, number>()
  answer = (request, response) => {
    const { created = 0, expires = 0 } = parseInput(String(request.headers['signature-input']), REQUEST_COMPONENTS) ?? {}
    waits.set(String(request.url).replace('/base/v1/', ''), expires - created)
    const refusal = JSON.stringify({ code: 'conflict', message: 'no' })
    response.writeHead(409, { ...signed(request, 409, refusal) }).end(refusal)
  }
  const calls = [
    solver.fill('id', { deposits: [], block_hash: '', destination_amount: '1' }),
    solver.instantRefund('id', { refunds: [], deposits: [] } as unknown as SolverInstantRefundRequest),
    solver.cosign({ order_ids: [] } as unknown as SolverCosignRequest),
    solver.liquidity(),
  ]
  for (const call of calls) await expect(call).rejects.toThrow('no')
  expect(Object.fromEntries(waits)).toEqual({ 'orders/id/fill': 45, 'orders/id/instant-refund': 45, cosign: 45, liquidity: 30 })
})

test('a request that is sent again over a new connection is signed anew: the solver takes a nonce once', async () => {
  const nonces: (string | undefined)[] = []
  let stale: unknown
  answer = (request, response) => {
    nonces.push(parseInput(String(request.headers['signature-input']), REQUEST_COMPONENTS)?.nonce)
    if (request.socket === stale) return void request.socket.destroy()
    stale = request.socket
    response.writeHead(200, { ...signed(request) }).end(body)
  }
  await solver.health()
  expect(await solver.health()).toEqual({ solver_id: 'a' })
  expect(new Set(nonces)).toHaveProperty('size', 3)
})

let kept: SignedHeaders | undefined
test.each<{ name: string; headers: (request: IncomingMessage) => object; message: string }>([
  { name: 'unsigned', headers: () => ({}), message: 'is not signed; it is HTTP 200' },
  { name: 'signed by another key', headers: (request) => signed(request, 200, body, serviceKey), message: 'is signed by the key' },
  { name: 'signed for another body', headers: (request) => signed(request, 200, `${body} `), message: 'content-digest' },
  { name: 'signed for another status', headers: (request) => signed(request, 503), message: 'wrong signature' },
  { name: 'an answer to an earlier request', headers: (request) => (kept ??= signed(request)), message: 'to another request' },
])('an answer that is $name does not count', async ({ headers, message }) => {
  kept = undefined
  reply(200, body, headers)
  await solver.health().catch(() => undefined)
  const failure = await solver.health().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(SolverFailure)
  expect(String(failure)).toContain(message)
})

test('an unsigned text of anyone is bounded and one line', async () => {
  reply(401, `a\nb\u0007${'x'.repeat(5_000)}`, () => ({}))
  const failure = String(await solver.health().catch((error: unknown) => error))
  expect(failure).toContain('HTTP 401: a b xxx')
  expect(failure.length).toBeLessThan(500)
})

test('a limit of the solver is not shown to the user as theirs, and the solver rests', async () => {
  let asked = 0
  const refusal = JSON.stringify({ code: 'rate_limited', message: 'too many', retry_after: 60 })
  reply(429, refusal, (request) => {
    asked += 1
    return signed(request, 429, refusal)
  })
  const request = { from: 'a', to: 'b', from_amount: '1', extra_fee_bips: 0, indicative: true }
  for (const _ of [1, 2]) {
    const error = await solver.quote(request).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TandemError)
    expect(error).toMatchObject({ code: 'chain_unavailable', message: 'too many', retryAfterSeconds: 60 })
  }
  expect(asked).toBe(1)
})
