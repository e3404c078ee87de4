/** The OpenAPI 3.1 document, made from the schemas that check the requests. */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { errorStatus } from '../../protocol/error.ts'
import type { ServiceContext } from '../context.ts'
import { type ApiDocument, listOperations } from './document.ts'
import { type ApiExample, apiExamples } from './examples.ts'

const FailureRecord = Type.Object({
  status: Type.Literal('Error'),
  error: Type.String({ description: 'for people: what, expected, got' }),
  result: Type.Null(),
  code: Type.Enum(Object.keys(errorStatus), { description: 'for programs: stable' }),
})

const tags = [
  { name: 'Swaps', description: 'Quotes, and orders from creation to completion or refund.' },
  { name: 'Catalog', description: 'Chains, assets, contract interfaces and swap rules.' },
  { name: 'Statistics', description: 'Volume and fees of completed swaps.' },
  { name: 'Apps', description: 'The integrator.' },
  { name: 'Service', description: 'Probes for operators and supervisors.' },
]

/** Must be registered before the routes that it describes. */
export function describeApi(server: FastifyInstance, { settings }: ServiceContext): void {
  void server.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tandem',
        version: '2.0.18',
        description:
          'Cross-chain atomic swaps: two swaps that complete together, or not at all. Amounts are decimal strings in the smallest unit; 100 bips are 1 %. Every answer is an envelope {status, error, result}.',
      },
      tags,
      components: { securitySchemes: { app: { type: 'apiKey', in: 'header', name: settings.appIdHeaders[0] ?? 'service-app-id' } } },
    },
    transform: ({ schema, url }) => ({
      url,
      schema: {
        ...schema,
        ...(url.startsWith('/v2') && { security: [{ app: [] }] }),
        response: { ...(schema.response as object | undefined), '4XX': { description: 'Refused', ...FailureRecord } },
      },
    }),
  })
}

/** The document with the recorded examples. */
export function readDocument(server: FastifyInstance): ApiDocument {
  // The library's type is wider than the document that our options produce.
  const document = structuredClone(server.swagger()) as unknown as ApiDocument
  for (const { operation } of listOperations(document)) {
    for (const example of apiExamples.filter(({ operationId }) => operationId === operation.operationId)) addExample(operation, example)
  }
  return document
}

function addExample(operation: ReturnType<typeof listOperations>[number]['operation'], example: ApiExample): void {
  const { request, response, name } = example
  for (const parameter of operation.parameters ?? []) {
    const value = parameter.in === 'path' ? request.path?.[parameter.name] : request.query?.[parameter.name]
    if (value !== undefined) parameter.examples = { ...parameter.examples, [name]: { value } }
  }
  const body = operation.requestBody?.content['application/json']
  if (body !== undefined && request.body !== undefined) body.examples = { ...body.examples, [name]: { value: request.body } }
  const answer = operation.responses[response.status < 400 ? String(response.status) : '4XX']?.content?.['application/json']
  if (answer !== undefined) answer.examples = { ...answer.examples, [name]: { value: response.body } }
}
