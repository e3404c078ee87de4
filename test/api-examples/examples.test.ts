/**
 * Every example of the API document is replayed against a running stack. With TANDEM_RECORD_EXAMPLES set they are recorded again instead
 * (`npm run examples`); review and commit the result.
 */

import { writeFile } from 'node:fs/promises'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { Value } from 'typebox/value'
import { beforeAll, expect, test } from 'vitest'
import { type ApiDocument, listOperations, type PlacedOperation } from '../../packages/reference/document/document.ts'
import { type ApiExample, apiExamples } from '../../packages/reference/document/examples.ts'
import { writeApiDocument } from '../../packages/reference/document/openapi.ts'
import { openStory } from '../swaps/story.ts'
import { firstOfLists, learn, type Renamed, rename, shapeOf, strictly } from './replay.ts'
import { type EarlierAnswers, type Step, scenario } from './scenario.ts'

const recording = process.env.TANDEM_RECORD_EXAMPLES !== undefined
/** The answers of these are long ABIs, so only the first item of each list is recorded. */
const ABI_OPERATIONS = new Set(['listSchemas', 'getSchema'])
const FILE = new URL('../../packages/reference/document/examples.json', import.meta.url)

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'litecoin_regtest', 'ethereum_localnet', 'arbitrum_localnet'] }))
let document: ApiDocument
let operations: ReadonlyMap<string, PlacedOperation>
const answers = new Map<string, unknown>()
const earlier: EarlierAnswers = { result: (name) => (answers.get(name) as { result: Record<string, unknown> }).result }

beforeAll(async () => {
  document = await writeApiDocument()
  operations = new Map(listOperations(document).map((placed) => [placed.operation.operationId, placed]))
})

function operationOf({ operationId }: { readonly operationId: string }): PlacedOperation {
  const operation = operations.get(operationId)
  if (operation === undefined) throw new Error(`the document has no operation ${operationId}`)
  return operation
}

async function send(example: Pick<ApiExample, 'operationId' | 'request'>): Promise<ApiExample['response']> {
  const { path, method } = operationOf(example)
  const { path: parts = {}, query = {}, body } = example.request
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''))
  const response = await fetch(new URL(`${filled}?${new URLSearchParams(query)}`, story.info.base_url), {
    method,
    headers: { 'service-app-id': story.info.app_id, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

function expectSchema(example: Pick<ApiExample, 'operationId'>, { status, body }: ApiExample['response'], whose: string): void {
  const { operation } = operationOf(example)
  const schema = operation.responses[status < 400 ? String(status) : '4XX']?.content?.['application/json']?.schema
  expect(schema, 'a schema for this status').toBeDefined()
  expect([...Value.Errors(strictly(schema) as object, body)], `${whose} as the schema says`).toEqual([])
}

if (recording) {
  test('the scenario is recorded', { timeout: 120_000 }, async () => {
    const recorded: ApiExample[] = []
    for (const step of scenario) {
      await step.before?.(story, earlier)
      const request = await step.request(story, earlier)
      const response = await send({ operationId: step.operationId, request })
      expectSchema(step, response, step.name)
      answers.set(step.name, response.body)
      const body = ABI_OPERATIONS.has(step.operationId) ? firstOfLists(response.body) : response.body
      recorded.push({ operationId: step.operationId, name: step.name, request, response: { ...response, body } })
    }
    // Links to this run's port would mislead.
    const text = JSON.stringify(recorded, null, 2).replaceAll(new URL(story.info.base_url).origin, 'https://swaps.example')
    await writeFile(FILE, `${text}\n`)
  })
} else {
  test('the document has an example for every answer and refusal, and shows exactly the recorded ones', () => {
    for (const { operation, path } of operations.values()) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        // Without parameters and body there is no request that could be refused, except for a missing app id. A fault of the service cannot
        // be shown on purpose.
        if (status === '5XX') continue
        if (status === '4XX' && (operation.parameters ?? []).length === 0 && operation.requestBody === undefined) continue
        if (content?.['text/event-stream'] !== undefined) continue
        expect(Object.keys(content?.['application/json']?.examples ?? {}).length, `${path} ${status}`).toBeGreaterThan(0)
      }
      const body = operation.requestBody?.content['application/json']
      if (body !== undefined) expect(Object.keys(body.examples ?? {}).length, `${path} body`).toBeGreaterThan(0)
    }
    const shown = [...operations.values()].flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content }) =>
        Object.keys(content?.['application/json']?.examples ?? {}).map((name) => `${operation.operationId}: ${name}`),
      ),
    )
    const nameOf = ({ operationId, name }: { operationId: string; name: string }) => `${operationId}: ${name}`
    expect(shown.sort()).toEqual(apiExamples.map(nameOf).sort())
    expect(scenario.map(nameOf)).toEqual(apiExamples.map(nameOf))
    const actions = apiExamples.flatMap(({ operationId, request }) => (operationId === 'patchOrder' ? [request.query?.action] : []))
    expect(new Set(actions)).toEqual(new Set(['initiate', 'redeem', 'refund', 'instant-refund']))
  })

  const renamed: Renamed = new Map()

  test.each(apiExamples.map((example, index) => ({ ...example, step: scenario[index] as Step })))(
    '$operationId: $name',
    { timeout: 60_000 },
    async (example) => {
      await example.step.before?.(story, earlier)
      // Signatures, secrets and ids differ from the recorded ones; everything else is sent as documented.
      learn(example.request, await example.step.request(story, earlier), renamed)
      const request = rename(example.request, renamed) as ApiExample['request']
      const response = await send({ operationId: example.operationId, request })
      learn(example.response.body, response.body, renamed)
      answers.set(example.name, response.body)
      expect(response.status).toBe(example.response.status)
      expect(shapeOf(response.body)).toEqual(shapeOf(example.response.body))
      expectSchema(example, response, 'the answer')
      expectSchema(example, example.response, 'the documented answer')
    },
  )
}
