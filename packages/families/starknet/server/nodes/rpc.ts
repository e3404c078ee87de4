/** Sends the JSON-RPC of one Starknet provider, and separates the provider's own failures from answers about the chain. */

import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { batchCalls } from '@tandem/chain-kit/providers/batch-calls.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import type { Json } from '@tandem/chain-kit/providers/json.ts'
import { createJsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { Refusal, saysTooMany } from '@tandem/chain-kit/providers/refusal.ts'
import { NodeRefusal } from './node.ts'

export interface Rpc {
  /** Batches calls of the same moment. Rejects with a NodeRefusal, or with `unreachable` if there is no usable answer. */
  request(method: string, params: Json): Promise<unknown>
  /** Sends a request of which a refusal says nothing about the chain: a refusal becomes `unreachable` too. */
  read(method: string, params: Json): Promise<unknown>
  /** The request is sent alone and once: it must not be repeated. Rejects like `request`. */
  send(method: string, params: Json): Promise<unknown>
  close(): void
}

/** These codes of starknet_api_openrpc answer one of our requests. `refusal.ts` has those of executions. */
export const codes = {
  contractNotFound: 20,
  blockNotFound: 24,
  classHashNotFound: 28,
  transactionNotFound: 29,
  pageSizeTooBig: 31,
  noBlocks: 32,
  duplicateTransaction: 59,
  unexpectedError: 63,
} as const

const MAX_CODE = 100
const INTERNAL_ERROR = -32_603
const MAX_REASON_LENGTH = 4000

export function createRpc(endpoint: Endpoint, timeoutMs: number): Rpc {
  const http = createProviderHttp(endpoint)
  // A transaction must not be repeated: if it was mined in the meantime, a second broadcast would be refused for its nonce.
  const isRepeatable = (method: string) => !method.startsWith('starknet_add')
  const rpc = createJsonRpc(http, { version: '2.0', timeoutMs, troubleIn, isRateLimit, isRepeatable })
  const refusing =
    (call: (method: string, params: Json) => Promise<unknown>): Rpc['request'] =>
    async (method, params) => {
      try {
        return await call(method, params)
      } catch (error) {
        throw error instanceof Refusal ? new NodeRefusal(error.code, error.message, reasonOf(error)) : error
      }
    }
  const request = refusing(batchCalls(rpc))
  return {
    request,
    async read(method, params) {
      try {
        return await request(method, params)
      } catch (error) {
        throw error instanceof NodeRefusal ? asUnreachable(method, error) : error
      }
    },
    send: refusing(rpc.call),
    close: http.close,
  }
}

export function asUnreachable(what: string, { code, message }: NodeRefusal): ChainFailure {
  return new ChainFailure('unreachable', `${what}: the node refused (${code} ${message})`)
}

/** Codes of the specification answer the request, so they are no rate limit: contracts choose the words of some. */
function isRateLimit({ code, message }: Refusal): boolean {
  return code === 429 || ((code <= 0 || code > MAX_CODE) && saysTooMany(message))
}

/** Codes of the specification answer the request. A transaction that met an unexpected error may still have been forwarded. */
function troubleIn({ code, message }: Refusal): string | null {
  if (code > 0 && code <= MAX_CODE && code !== codes.unexpectedError) return null
  return code === codes.unexpectedError || code === INTERNAL_ERROR ? `the node cannot answer now (${code} ${message})` : null
}

/** Contracts that call each other nest their reasons, so all texts in the error are kept. The innermost comes last. */
function reasonOf({ message, data }: Refusal): string {
  const texts = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value]
    if (Array.isArray(value)) return value.flatMap(texts)
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
  }
  return [message, ...texts(data)].join('\n').slice(-MAX_REASON_LENGTH)
}
