import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../testing/service.fixture.ts'
import { type ApiDocument, listOperations } from '../document.ts'

let service: TestService
let document: ApiDocument
beforeAll(async () => {
  service = await startTestService({ environment: 'local', appIdHeaders: ['service-app-id', 'x-app'] })
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as ApiDocument
})
afterAll(() => service.close())

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
  const { components } = document as unknown as { components: { securitySchemes: unknown } }
  expect(components.securitySchemes).toEqual({ app: { type: 'apiKey', in: 'header', name: 'service-app-id' } })
  for (const { path, operation } of listOperations(document)) expect('security' in operation, path).toBe(path.startsWith('/v2'))
})

test('the page shows every operation, without scripts or external resources', async () => {
  const response = await fetch(`${service.url}/docs`)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  const html = await response.text()
  for (const { operation } of listOperations(document)) expect(html).toContain(`<h3 id="${operation.operationId}">`)
  expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|url\(|href="(?!#|openapi\.json")/)
})

test('escapes all texts in the page', async () => {
  const { renderDocsPage } = await import('../docs-page.ts')
  const evil = '<script>alert(1)</script>"'
  const html = renderDocsPage({
    openapi: '3.1.0',
    info: { title: evil, version: '', description: evil },
    tags: [{ name: evil, description: evil }],
    paths: {
      [`/${evil}`]: {
        get: {
          operationId: 'x',
          summary: evil,
          tags: [evil],
          parameters: [{ name: evil, in: 'query', schema: { type: 'string', description: evil } }],
          responses: { 200: { description: '', content: { 'application/json': { examples: { [evil]: { value: evil } } } } } },
        },
      },
    },
  })
  expect(html).not.toContain('<script>')
})
