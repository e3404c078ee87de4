// Serves a node's JSON-RPC over HTTP (single and batch) and WebSocket (with subscriptions) on one local port.
import { type Listener, type LocalServer, startLocalServer } from '@tandem/chain-kit/local/local-server.ts'
import { EdrRequestError, type JsonRpcCall, JsonText } from './edr-provider.ts'

export interface JsonRpcServer extends LocalServer {
  publish(subscription: string, result: unknown): void
}

interface JsonRpcRequest extends JsonRpcCall {
  readonly id: number | string | null
}

const maxBodyBytes = 8 * 1024 * 1024
const parseErrorCode = -32_700
const invalidRequestCode = -32_600
const methodUnavailableCode = -32_601
const internalErrorCode = -32_603

export async function startJsonRpcServer(handle: (call: JsonRpcCall) => Promise<unknown>, port: number): Promise<JsonRpcServer> {
  const subscribers = new Map<string, Listener>()
  const server = await startLocalServer({
    port,
    maxBytes: maxBodyBytes,
    post: async (body) => ({ headers: { 'content-type': 'application/json' }, body: await respond(body.toString('utf8'), undefined) }),
    socket: {
      answer: (listener, message) => respond(message, listener),
      disconnected: (listener) => void unsubscribeAll(listener),
    },
  })

  async function respond(text: string, listener: Listener | undefined): Promise<string> {
    const parsed = parseJson(text)
    if (parsed === undefined) return failure(null, parseErrorCode, 'not JSON')
    if (!Array.isArray(parsed)) return answer(parsed, listener)
    return `[${(await Promise.all(parsed.map((item) => answer(item, listener)))).join(',')}]`
  }

  async function answer(request: unknown, listener: Listener | undefined): Promise<string> {
    if (!isRequest(request)) return failure(null, invalidRequestCode, 'not a JSON-RPC request')
    const { id = null, method, params } = request
    if (method === 'eth_subscribe' && listener === undefined) return failure(id, methodUnavailableCode, 'subscriptions need a WebSocket')
    try {
      const result = await handle({ method, params })
      if (method === 'eth_subscribe' && listener !== undefined) subscribers.set(String(parsedOf(result)), listener)
      if (method === 'eth_unsubscribe') subscribers.delete(String(params?.[0]))
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result instanceof JsonText ? result.text : JSON.stringify(result)}}`
    } catch (error) {
      if (error instanceof EdrRequestError) return failure(id, error.code, error.message, error.data)
      return failure(id, internalErrorCode, error instanceof Error ? error.message : String(error))
    }
  }

  async function unsubscribeAll(listener: Listener): Promise<void> {
    const own = [...subscribers].filter(([, subscriber]) => subscriber === listener).map(([subscription]) => subscription)
    for (const subscription of own) {
      subscribers.delete(subscription)
      await answer({ id: null, method: 'eth_unsubscribe', params: [subscription] }, undefined)
    }
  }

  return {
    ...server,
    publish(subscription, result) {
      const message = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }
      subscribers.get(subscription)?.send(JSON.stringify(message))
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRequest(value: unknown): value is JsonRpcRequest {
  if (typeof value !== 'object' || value === null || !('method' in value) || typeof value.method !== 'string') return false
  return !('params' in value) || value.params === undefined || Array.isArray(value.params)
}

function parsedOf(result: unknown): unknown {
  return result instanceof JsonText ? JSON.parse(result.text) : result
}

function failure(id: JsonRpcRequest['id'], code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}
