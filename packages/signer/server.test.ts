/** Tests that only known keys are heard, that answers belong to their requests, and that what a solver's keys sign goes through the signer. */
import { request } from 'node:http'
import { join } from 'node:path'
import { createAskedKey } from '@tandem/keys/asked-keys.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { signingOf } from '@tandem/keys/operations.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSignerClient, type SignerClient } from './client.ts'
import { startServer } from './server.ts'
import { honestLock, openTestSigner, type TestSigner } from './signer.fixture.ts'
import { encode } from './wire/codec.ts'

const key = createSigningKey(randomPrivateKey('ed25519'))
const solver = createSigningKey(randomPrivateKey('ed25519'))
const stranger = createSigningKey(randomPrivateKey('ed25519'))

let signer: TestSigner
let server: Awaited<ReturnType<typeof startServer>>
const clients: SignerClient[] = []
const socket = () => join(signer.folder, 'signer.sock')

beforeEach(async () => {
  signer = await openTestSigner()
  server = await startServer(
    { socket: socket() },
    {
      gate: signer.gate(),
      key,
      clients: [{ id: 'the solver', publicKey: solver.publicKey }],
      status: () => ({ keys: {}, addresses: {}, entries: signer.head().count, open: { locks: 0, usd: '0.00' }, held: null }),
      head: signer.head,
      log: createLogger({ name: 'signer', level: 'silent' }),
    },
  )
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await server.close()
  await signer.close()
})

async function connect(as = solver, publicKey = key.publicKey): Promise<SignerClient> {
  const client = await createSignerClient({
    address: { socket: socket() },
    key: as,
    publicKey,
    headFile: join(signer.folder, 'releases', 'head'),
  })
  clients.push(client)
  return client
}

/** The same operation as that of the fixture: the process that asks has the code too. */
const sign = signingOf('secp256k1', { sign: (_, _text: string, _nonce: number): string => 'signed here' })

test('a key that the signer holds signs there, with its own permit and policy', async () => {
  const { chain, action } = honestLock(signer, 'bitcoin')
  const { paidBy: _, ...redeem } = { ...action, verb: 'redeem' as const }
  const asked = createAskedKey({ curve: 'secp256k1', publicKey: createKey('secp256k1', '22'.repeat(32)).publicKey }, await connect())
  expect(await sign.sign('sign', asked.signerFor(orderPurpose(chain, redeem)), 'a redeem', 1)).toBe('signed a redeem with more')
  await expect(sign.sign('sign', asked.signerFor({ kind: 'deploy', chain, asset: null }), 'x', 1)).rejects.toThrow(
    'the signer: nothing is signed for "deploy" here',
  )
  expect((await signer.entries()).map(({ kind }) => kind)).toEqual(['other', 'refused'])
})

test('a key that is not in the configuration is not heard, and an answer by another key does not count', async () => {
  await expect((await connect(stranger)).status()).rejects.toThrow('is not signed')
  await expect((await connect(solver, stranger.publicKey)).status()).rejects.toThrow()
  expect((await (await connect()).status()).entries).toBe(0)
})

test('a signer that is away is asked again soon, however often it did not answer', async () => {
  const client = await createSignerClient({
    address: { socket: `${socket()}.gone` },
    key: solver,
    publicKey: key.publicKey,
    headFile: null,
  })
  await expect(client.status()).rejects.toMatchObject({ kind: 'unreachable', retryAfterMs: 2_000 })
  client.close()
})

function send(headers: Readonly<Record<string, string>>, body: string, path = '/v1/status'): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: socket(), path, method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    call.on('error', reject).end(body)
  })
}

const headersOf = (body: string, target = '/v1/status') => ({
  ...signRequest(solver, { method: 'POST', target, body, recipient: key.publicKey, waitMs: 1_000, nowMs: Date.now() }),
})

test('a request counts once, for its own path and body', async () => {
  const headers = headersOf('')
  expect((await send(headers, '')).status).toBe(200)
  expect((await send(headers, '')).text).toContain('the nonce was used before')
  expect((await send(headersOf(''), '', '/v1/sign')).text).toContain('the signature does not fit the request')
  expect((await send(headersOf(''), 'x')).text).toContain('content-digest')
})

test('what is no question is refused, without an entry', async () => {
  for (const body of ['', '{', encode({}), encode({ way: 'operation' }), '{"__proto__":1}']) {
    const { status, text } = await send(headersOf(body, '/v1/sign'), body, '/v1/sign')
    expect([status, text]).toEqual([400, expect.stringContaining('"kind":"invalid"')])
  }
  const long = 'x'.repeat(3 * 1024 * 1024)
  expect((await send(headersOf(long, '/v1/sign'), long, '/v1/sign')).status).toBe(400)
  expect(await signer.entries()).toEqual([])
})

test('a client that has seen more than the journal has makes the signer hold, also after a restart of the client', async () => {
  const client = await connect()
  const { chain, action } = honestLock(signer, 'bitcoin')
  const { paidBy: _, ...redeem } = { ...action, verb: 'redeem' as const }
  const asked = createAskedKey({ curve: 'secp256k1', publicKey: createKey('secp256k1', '22'.repeat(32)).publicKey }, client)
  await sign.sign('sign', asked.signerFor(orderPurpose(chain, redeem)), 'a redeem', 1)
  const again = await connect()
  await again.status()
  expect((await signer.entries()).map(({ kind }) => kind)).toEqual(['other'])
  const more = { ...headersOf(''), 'tandem-journal': `9 ${'ab'.repeat(32)}` }
  expect((await send(more, '')).status).toBe(200)
  expect((await signer.entries()).map(({ kind }) => kind)).toEqual(['other', 'held'])
})
