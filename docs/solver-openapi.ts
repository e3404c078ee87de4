/** The text of docs/solver-openapi.json: the protocol between service and solver, from the schemas that check its messages. */

import { REQUEST_COMPONENTS, TAG } from '@tandem/party/solver-auth/message-signature.ts'
import { errorStatus } from '@tandem/protocol/error.ts'
import { SolverRefusal } from '@tandem/protocol/wire/solver.ts'
import { solverRoutes } from '@tandem/protocol/wire/solver-routes.ts'
import type { TSchema } from 'typebox'

type Route = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly answer: TSchema
}
type ObjectSchema = { readonly properties?: Readonly<Record<string, TSchema>>; readonly required?: readonly string[] }

const json = (schema: TSchema) => ({ content: { 'application/json': { schema } } })

/** The headers of every answer after the caller is known. */
const signedHeaders = Object.fromEntries(
  ['content-digest', 'signature-input', 'signature'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

function parametersOf(schema: TSchema | undefined, place: 'path' | 'query') {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, inner]) => ({ name, in: place, required: required.includes(name), schema: inner }))
}

function operationOf(operationId: string, { summary, description, params, query, body, answer }: Route) {
  const headers = ['content-digest', 'tandem-recipient', 'signature-input', 'signature'].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }))
  return {
    operationId,
    summary,
    description,
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query'), ...headers],
    ...(body !== undefined && { requestBody: { required: true, ...json(body) } }),
    responses: {
      200: { description: 'The answer.', headers: signedHeaders, ...json(answer) },
      default: { description: 'A refusal, with the status of its code.', headers: signedHeaders, ...json(SolverRefusal) },
    },
  }
}

function pathsOf(routes: Readonly<Record<string, Route>>) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, route] of Object.entries(routes)) {
    const path = route.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(operationId, route) }
  }
  return paths
}

const text = (description: string, pattern: string) => ({ description, schema: { type: 'string', pattern } })
const header = (name: string, description: string, pattern: string) => ({
  name,
  in: 'header',
  required: true,
  ...text(description, pattern),
})
const HEX_KEY = '^[0-9a-f]{64}$'
const DIGEST = '^sha-256=:[A-Za-z0-9+/]{43}=:$'
const SIGNATURE = '^tandem=:[A-Za-z0-9+/]{86}==:$'

export function solverDocument(): string {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Tandem solver protocol',
      version: '1.0.0',
      description: `Between a service and its solvers. Amounts are decimal strings in the smallest unit; times are unix seconds; 100 bips are 1 %. Every request and every answer is signed (RFC 9421, ed25519, tag \`${TAG}\`); docs/solver-protocol.md says how. Fields may be added within a version: ignore unknown ones. Refusals have one of these codes: ${Object.keys(errorStatus).join(', ')}.`,
    },
    paths: pathsOf(solverRoutes),
    components: {
      parameters: {
        'content-digest': header('content-digest', 'RFC 9530, of the body, which may be empty.', DIGEST),
        'tandem-recipient': header('tandem-recipient', 'The public key of the solver that the request is for.', HEX_KEY),
        'signature-input': header(
          'signature-input',
          `RFC 9421: \`tandem=${REQUEST_COMPONENTS}\` with created, expires (when the caller stops waiting), nonce, keyid (the public key of the service) and tag="${TAG}".`,
          '^tandem=',
        ),
        signature: header('signature', 'RFC 9421, ed25519.', SIGNATURE),
      },
      headers: {
        'content-digest': text('RFC 9530, of the body.', DIGEST),
        'signature-input': text(
          `RFC 9421: \`tandem=("@status" "content-digest" "signature";req)\` with created, keyid and tag="${TAG}".`,
          '^tandem=',
        ),
        signature: text('RFC 9421, ed25519, over the signature of the request too.', SIGNATURE),
      },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
