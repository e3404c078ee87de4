// Serves the node in the JSON-RPC format of Bitcoin Core: single and batch calls, its error codes and HTTP statuses.
import { timingSafeEqual } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '../http/http-server.ts'
import { type JsonValue, stringifyJson } from '../http/json.ts'
import { chainMethods } from './chain-methods.ts'
import { controlMethods } from './control-methods.ts'
import { mempoolMethods } from './mempool-methods.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'
import { createRpcParams, RPC, RpcError } from './rpc-params.ts'
import { transactionMethods } from './transaction-methods.ts'

const METHODS: RpcMethods = { ...chainMethods, ...mempoolMethods, ...transactionMethods, ...controlMethods }

export type RpcCredentials = string | null

type Reply = { readonly json: JsonValue; readonly error: RpcError | null; readonly version2: boolean }

function statusOf({ error, version2 }: Reply): number {
  // JSON-RPC 2.0 callers read the error from the body; older ones also from the status.
  if (error === null || version2) return 200
  if (error.code === RPC.METHOD_NOT_FOUND) return 404
  return error.code === RPC.INVALID_REQUEST ? 400 : 500
}

function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  return new RpcError(RPC.MISC, error instanceof Error ? error.message : String(error))
}

function call(request: unknown, context: RpcContext): JsonValue {
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw new RpcError(RPC.INVALID_REQUEST, 'Invalid Request object')
  const name = 'method' in request ? request.method : undefined
  if (name === undefined) throw new RpcError(RPC.INVALID_REQUEST, 'Missing method')
  if (typeof name !== 'string') throw new RpcError(RPC.INVALID_REQUEST, 'Method must be a string')
  const params = 'params' in request ? (request.params ?? []) : []
  if (typeof params !== 'object') throw new RpcError(RPC.INVALID_REQUEST, 'Params must be an array or object')
  const isKnown = Object.hasOwn(METHODS, name) && !context.node.network.rpc.without.includes(name)
  const method = isKnown ? METHODS[name] : undefined
  if (method === undefined) throw new RpcError(RPC.METHOD_NOT_FOUND, 'Method not found')
  return method.run(createRpcParams(method.parameters, params), context)
}

function idOf(request: unknown): JsonValue {
  const id = typeof request === 'object' && request !== null && 'id' in request ? request.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function answer(request: unknown, context: RpcContext): Reply {
  const version2 = typeof request === 'object' && request !== null && 'jsonrpc' in request && request.jsonrpc === '2.0'
  const id = idOf(request)
  try {
    const result = call(request, context)
    return { json: version2 ? { jsonrpc: '2.0', result, id } : { result, error: null, id }, error: null, version2 }
  } catch (thrown) {
    const error = toRpcError(thrown)
    const view = { code: error.code, message: error.message }
    return { json: version2 ? { jsonrpc: '2.0', error: view, id } : { result: null, error: view, id }, error, version2 }
  }
}

function isAuthorized(authorization: string | undefined, credentials: RpcCredentials): boolean {
  if (credentials === null) return true
  const expected = Buffer.from(`Basic ${Buffer.from(credentials).toString('base64')}`)
  const given = Buffer.from(authorization ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export function createRpcHandler(context: RpcContext, credentials: RpcCredentials): (request: HttpRequest) => HttpResponse {
  function reply(status: number, json: JsonValue): HttpResponse {
    return { status, contentType: 'application/json', body: `${stringifyJson(json)}\n` }
  }

  return ({ method, authorization, body }) => {
    if (method !== 'POST') return { status: 405, contentType: 'text/plain', body: 'JSONRPC server handles only POST requests' }
    if (!isAuthorized(authorization, credentials)) return { status: 401, contentType: 'text/plain', body: '' }
    let parsed: unknown
    try {
      parsed = JSON.parse(body)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return reply(500, { result: null, error: { code: RPC.PARSE, message: 'Parse error' }, id: null })
    }
    if (Array.isArray(parsed))
      return reply(
        200,
        parsed.map((request) => answer(request, context).json),
      )
    const single = answer(parsed, context)
    return reply(statusOf(single), single.json)
  }
}
