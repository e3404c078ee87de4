/** Tests that the OpenAPI document is complete and valid. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { beforeAll, expect, test } from 'vitest'
import { APP_HEADER, SERVER_URL } from '../placeholders.ts'
import { type ApiDocument, type JsonSchema, listOperations } from './document.ts'
import { nameSchemas } from './name-schemas.ts'
import { writeApiDocument } from './openapi.ts'

let published: ApiDocument
/** The document before its schemas are named. */
let document: ApiDocument
beforeAll(async () => {
  document = await writeApiDocument()
  published = nameSchemas(document)
})

test('the document names every endpoint of the interface', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(listOperations(document).map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining([
      'GET /v2/quote',
      'POST /v2/orders',
      'GET /v2/orders',
      'GET /v2/orders/{order_id}',
      'PATCH /v2/orders/{order_id}',
      'GET /v2/orders/{order_id}/instant-refund-hash',
      'GET /v2/orders/{order_id}/funding',
      'GET /v2/chains',
      'GET /v2/events',
      'GET /v2/orders/{order_id}/events',
      'GET /v2/assets',
      'GET /v2/fees',
      'GET /v2/volume',
      'GET /v2/liquidity',
      'GET /v2/policy',
      'GET /v2/health',
      'GET /v2/schemas',
      'GET /v2/schemas/{name}',
      'GET /v2/apps/earnings',
      'GET /livez',
      'GET /readyz',
    ]),
  )
})

test('every operation has a summary, a response schema and an error schema', () => {
  const operations = listOperations(document)
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  const tags = document.tags.map(({ name }) => name)
  for (const { operation, path } of operations) {
    expect(operation, path).toMatchObject({ summary: expect.stringMatching(/./), operationId: expect.stringMatching(/^[a-z]/i) })
    expect(tags, path).toEqual(expect.arrayContaining([...operation.tags]))
    expect(operation.tags, path).toHaveLength(1)
    const { 'application/json': json, 'text/event-stream': events } = operation.responses['200']?.content ?? {}
    if (events === undefined) expect(json?.schema, path).toMatchObject({ properties: { status: { const: 'Ok' }, error: { type: 'null' } } })
    else expect(events.schema, path).toMatchObject({ properties: { order_id: {}, status: {}, order: {} } })
    expect(operation.responses['4XX']?.content?.['application/json']?.schema, path).toMatchObject({
      properties: { status: { const: 'Error' }, code: { enum: expect.arrayContaining(['bad_request', 'rate_limited']) } },
    })
  }
})

test('/v2 needs the app id, in the header that the operator chose', () => {
  expect(published.components.securitySchemes.app).toMatchObject({ type: 'apiKey', in: 'header', name: APP_HEADER })
  for (const { path, operation } of listOperations(document))
    expect(operation.security, path).toEqual(path.startsWith('/v2') ? [{ app: [] }] : [])
})

test('the document passes the linter, and its generated types compile', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: JSON.stringify(published).replace(SERVER_URL, '/'), config })
  expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)).toEqual([])
  const types = astToString(await openapiTS(published as never))
  expect(compile(types)).toEqual([])
  for (const name of ['Quote', 'Order', 'Swap', 'NextAction', 'Asset', 'Chain', 'Failure', 'InstantRefund', 'FundByCalls'])
    expect(types).toContain(`        ${name}: {`)
}, 120_000)

test('every field is described', () => {
  const silent: string[] = []
  const look = (schema: JsonSchema, path: string): void => {
    const {
      properties = {},
      items,
      anyOf = [],
    } = schema as {
      properties?: Record<string, JsonSchema>
      items?: JsonSchema
      anyOf?: readonly JsonSchema[]
    }
    for (const [name, field] of Object.entries(properties)) {
      const isNamed = '$ref' in field || ('items' in field && '$ref' in (field.items as object))
      if (!('description' in field) && !isNamed && name !== 'result') silent.push(`${path}.${name}`)
      look(field, `${path}.${name}`)
    }
    if (items !== undefined) look(items, `${path}[]`)
    for (const variant of anyOf) look(variant, path)
  }
  for (const [name, schema] of Object.entries(published.components.schemas ?? {})) look(schema, name)
  for (const { path, method, operation } of listOperations(published)) {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)]
    for (const body of bodies) look(body?.content?.['application/json']?.schema ?? {}, `${method} ${path}`)
    for (const { name, description } of operation.parameters ?? []) if (description === undefined) silent.push(`${method} ${path} ${name}`)
  }
  expect(silent).toEqual([])
})

test('a title names one schema only', () => {
  const withTitles = (second: JsonSchema): ApiDocument => ({
    ...document,
    paths: {
      '/x': {
        get: {
          operationId: 'x',
          summary: '',
          tags: [],
          responses: {
            200: { description: '', content: { 'application/json': { schema: { title: 'One', type: 'string' } } } },
            201: { description: '', content: { 'application/json': { schema: second } } },
          },
        },
      },
    },
  })
  expect(() => nameSchemas(withTitles({ title: 'One', type: 'integer' }))).toThrow('two schemas of the API have the title One')
  expect(nameSchemas(withTitles({ title: 'One', type: 'string', description: 'other words' })).components.schemas).toEqual({
    One: { type: 'string' },
  })
})

/** The errors of the TypeScript compiler in this module. */
function compile(text: string): readonly string[] {
  const file = 'api.d.ts'
  const host = ts.createCompilerHost({})
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile.call(host, name, ...rest)
  const program = ts.createProgram([file], { strict: true, noEmit: true, types: [], lib: ['lib.es2022.d.ts'] }, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
