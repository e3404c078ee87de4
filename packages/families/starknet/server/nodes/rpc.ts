/** The JSON-RPC of one Starknet provider. Tells its own trouble from an answer about the chain. */

import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { batchCalls } from '@tandem/chain-kit/providers/batch-calls.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import type { Json } from '@tandem/chain-kit/providers/json.ts'
import { createJsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { saysTooMany } from '@tandem/chain-kit/providers/rate-limited.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { NodeRefusal } from './node.ts'

export interface Rpc {
  /** Batched with other calls of the same moment. Rejects with a NodeRefusal, or with `unreachable` when there is no usable answer. */
  request(method: string, params: Json): Promise<unknown>
  /** The same, where a refusal says nothing about the chain: it is `unreachable` too. */
  read(method: string, params: Json): Promise<unknown>
  /** On its own and once: it must not be repeated. Rejects as `request`. */
  send(method: string, params: Json): Promise<unknown>
  close(): void
}

/** Of starknet_api_openrpc: those that answer a question of ours. `refusal.ts` has those of executions. */
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

const LARGEST_CODE = 100
const INTERNAL_ERROR = -32_603
const MAX_REASON_LENGTH = 4000

export function createRpc(endpoint: Endpoint, timeoutMs: number): Rpc {
  const http = createProviderHttp(endpoint)
  // Not repeatable: if it was mined in the meantime, a repeated broadcast would be refused for its nonce.
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

/** Codes of the specification answer the question: contracts choose the words of some. */
function isRateLimit({ code, message }: Refusal): boolean {
  return code === 429 || ((code <= 0 || code > LARGEST_CODE) && saysTooMany(message))
}

/** Codes of the specification answer the question. A transaction that met an unexpected error may have been forwarded nevertheless. */
function troubleIn({ code, message }: Refusal): string | null {
  if (code > 0 && code <= LARGEST_CODE && code !== codes.unexpectedError) return null
  return code === codes.unexpectedError || code === INTERNAL_ERROR ? `the node cannot answer now (${code} ${message})` : null
}

/** All texts in the error: contracts that call each other nest their reasons. The innermost comes last, and is kept. */
function reasonOf({ message, data }: Refusal): string {
  const texts = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value]
    if (Array.isArray(value)) return value.flatMap(texts)
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
  }
  return [message, ...texts(data)].join('\n').slice(-MAX_REASON_LENGTH)
}
