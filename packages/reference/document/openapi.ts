/** The OpenAPI 3.1 document, made from the schemas that check the requests of the service. */
import swagger from '@fastify/swagger'
import { errorStatus } from '@tandem/protocol/error.ts'
import { apiRoutes } from '@tandem/service/api/api-routes.ts'
import { completeSettings, type ServiceContext } from '@tandem/service/context.ts'
import { fastify } from 'fastify'
import { Type } from 'typebox'
import { APP_HEADER, SERVER_URL } from '../placeholders.ts'
import { type ApiDocument, listOperations } from './document.ts'
import { type ApiExample, apiExamples } from './examples.ts'

const FailureRecord = Type.Object(
  {
    status: Type.Literal('Error', { description: 'it did not work' }),
    error: Type.String({ description: 'for people: what, expected, got' }),
    result: Type.Null({ description: 'null: there is none' }),
    code: Type.Enum(Object.keys(errorStatus), { description: 'for programs: stable' }),
  },
  { title: 'Failure' },
)

const tags = [
  { name: 'Swaps', description: 'Quotes, and orders from creation to completion or refund.' },
  { name: 'Catalog', description: 'Chains, assets, contract interfaces and swap rules.' },
  { name: 'Statistics', description: 'Volume and fees of completed swaps.' },
  { name: 'Apps', description: 'The integrator.' },
  { name: 'Service', description: 'Probes for operators and supervisors.' },
]

/** Registering routes needs only the settings of the context. No request is answered here. */
const CONTEXT = { settings: completeSettings({ environment: 'reference' }) } as ServiceContext

/** The document with the recorded examples. */
export async function writeApiDocument(): Promise<ApiDocument> {
  const server = fastify()
  server.setValidatorCompiler(() => () => true)
  server.setSerializerCompiler(() => JSON.stringify)
  await server.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tandem',
        version: '2.0.18',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        description:
          'Cross-chain atomic swaps: two swaps that complete together, or not at all. Amounts are decimal strings in the smallest unit; 100 bips are 1 %. Every answer is an envelope {status, error, result}.',
      },
      tags,
      components: {
        securitySchemes: {
          app: {
            type: 'apiKey',
            in: 'header',
            name: APP_HEADER,
            description: 'The id of your app. The operator makes it with `tandem apps create`; it is public and may be in a web page.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        ...(route.config?.documentedBody !== undefined && { body: route.config.documentedBody }),
        security: url.startsWith('/v2') ? [{ app: [] }] : [],
        response: {
          ...(schema.response as object | undefined),
          '4XX': { ...FailureRecord, description: 'Refused: `error` says what to change. 429 names the seconds to wait in `Retry-After`.' },
          '5XX': {
            ...FailureRecord,
            description: 'The service failed. Repeat the request; 503 names the seconds to wait in `Retry-After`.',
          },
        },
      },
    }),
  })
  await server.register(apiRoutes(CONTEXT, new AbortController().signal, () => undefined))
  await server.ready()
  // The library's type is wider than the document that our options produce.
  const { openapi, info, ...rest } = structuredClone(server.swagger()) as unknown as ApiDocument
  // Added here because the library would take the braces for a variable.
  const document = { openapi, info, servers: [{ url: SERVER_URL, description: 'this service' }], ...rest }
  await server.close()
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
