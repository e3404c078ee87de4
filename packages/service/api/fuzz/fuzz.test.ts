/** Tests that the API answers every input as its schema says. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiDocument, listOperations, type PlacedOperation } from '../../../reference/document/document.ts'
import { writeApiDocument } from '../../../reference/document/openapi.ts'
import { sharedService } from '../../testing/service.fixture.ts'
import { createJudge } from './judge.fixture.ts'
import { fingerprint, prepareKnowledge } from './prepare.fixture.ts'
import { type FuzzRequest, type Knowledge, requestsTo } from './requests.fixture.ts'
import { createSender, type Sender } from './send.fixture.ts'

/** The seed is printed with every counterexample. FUZZ_SEED overrides it; FUZZ_RUNS sets the number of runs. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_250_601)
const RUNS = Number(process.env.FUZZ_RUNS ?? 80)

const service = sharedService({ environment: 'local', publicFeed: true })
let knowledge: Knowledge
let sender: Sender
let document: ApiDocument
beforeAll(async () => {
  knowledge = await prepareKnowledge(service)
  sender = createSender(service.url)
  document = await writeApiDocument()
})
afterAll(async () => {
  sender.close()
})

const show = ({ method, path, headers, body }: FuzzRequest) =>
  `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body?.toString('latin1') ?? null)}`.slice(0, 3000)

/** Whether a request may have changed the database: it made an order, or stored a grant (503: stored, not sent in time). */
const mayChange = ({ method }: FuzzRequest, status: number): boolean =>
  (method === 'POST' && status === 200) || (method === 'PATCH' && (status === 200 || status === 503))

async function fuzz(placed: PlacedOperation): Promise<ReadonlySet<number>> {
  const judge = createJudge(placed.operation)
  const seen = new Set<number>()
  const reads = placed.method === 'GET'
  let before = await fingerprint(service.db)
  const property = fc.asyncProperty(requestsTo(placed, knowledge), async (request) => {
    const answer = await sender.send(request)
    seen.add(answer.status)
    const complaints = [...judge(request, answer)]
    if (!reads) {
      const after = await fingerprint(service.db)
      if (after !== before && !mayChange(request, answer.status)) complaints.push(`the database changed on a ${answer.status}`)
      before = after
    }
    if (complaints.length > 0) throw new Error(`${complaints.join('; ')}\n${show(request)}\n${answer.text.slice(0, 500)}`)
  })
  // A PATCH succeeds only if order, action and body match, so it needs more runs.
  await fc.assert(property, { seed: SEED, numRuns: placed.method === 'PATCH' ? RUNS * 4 : RUNS })
  expect(await fingerprint(service.db), `${placed.path}: the database after all requests`).toBe(before)
  expect((await fetch(`${service.url}/livez`)).status).toBe(200)
  return seen
}

test('every operation answers every input as its schema says, and some inputs succeed', async () => {
  const operations = listOperations(document)
  expect(operations.length).toBeGreaterThan(15)
  for (const placed of operations) {
    const name = `${placed.method} ${placed.path}`
    const seen = await fuzz(placed)
    // If this fails, only refusals were tried: prepare.fixture.ts needs valid values for the new operation.
    expect(
      [...seen].some((status) => status === 200 || (placed.method === 'PATCH' && status === 503)),
      `${name}: ${[...seen]}`,
    ).toBe(true)
  }
  expect(service.logged.join('')).not.toContain('a request failed unexpectedly')
})

test('malformed HTTP gets an error or a closed connection, and changes nothing', async () => {
  const body = JSON.stringify({ source: 1 })
  const requests = [
    `GET /v2/chains HTTP/1.1\r\nhost: x\r\nservice-app-id: ${service.appId}\r\nconnection: close\r\n\r\n`,
    `POST /v2/orders HTTP/1.1\r\nhost: x\r\nservice-app-id: ${service.appId}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    `POST /v2/orders HTTP/1.1\r\nhost: x\r\nservice-app-id: ${service.appId}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    `GET /v2/chains HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    'TRACE / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  ].map((text) => Buffer.from(text))
  const damage = fc.record({ at: fc.nat(), remove: fc.nat({ max: 8 }), insert: fc.uint8Array({ maxLength: 8 }) })
  const before = await fingerprint(service.db)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...requests), fc.array(damage, { maxLength: 3 }), async (request, damages) => {
      const bytes = damages.reduce((text, { at, remove, insert }) => {
        const place = at % (text.length + 1)
        return Buffer.concat([text.subarray(0, place), insert, text.subarray(place + remove)])
      }, request)
      const answer = await sender.sendBytes(bytes)
      const [head = '', content = ''] = answer.split('\r\n\r\n')
      const wrong = answer !== '' && !(/^HTTP\/1\.1 (200|4\d\d) /.test(head) && /"status":"(Ok|Error)"/.test(content))
      if (wrong) throw new Error(`${JSON.stringify(bytes.toString('latin1'))} was answered with\n${answer.slice(0, 500)}`)
    }),
    { seed: SEED, numRuns: RUNS * 2 },
  )
  expect(await fingerprint(service.db)).toBe(before)
  expect((await fetch(`${service.url}/livez`)).status).toBe(200)
})
