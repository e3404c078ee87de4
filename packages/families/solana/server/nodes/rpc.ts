/** The JSON-RPC of one Solana provider. Tells its own trouble from an answer about the chain. */
import {
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_STATUS_NOT_AVAILABLE_YET,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_UNREACHABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
} from '@solana/kit'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { batchCalls } from '@tandem/chain-kit/providers/batch-calls.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { createJsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'

/** All calls may be repeated: a transaction that is sent twice is the same transaction. */
export interface Rpc {
  /** Batched with other calls of the same moment. Rejects with a Refusal, or with `unreachable` when there is no usable answer. */
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** The same, where a refusal says nothing about the chain: it is `unreachable` too. */
  read(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

/** The node is behind, starting, or its storage fails. */
const troubleCodes: ReadonlySet<number> = new Set([
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_STATUS_NOT_AVAILABLE_YET,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_UNREACHABLE,
])

export function createRpc(endpoint: Endpoint, timeoutMs: number): Rpc {
  const http = createProviderHttp(endpoint)
  const request = batchCalls(createJsonRpc(http, { version: '2.0', timeoutMs, troubleIn }))
  return {
    request,
    async read(method, params) {
      try {
        return await request(method, params)
      } catch (error) {
        if (error instanceof Refusal)
          throw new ChainFailure('unreachable', `${method}: the node refused (${error.code} ${error.message})`, { cause: error })
        throw error
      }
    },
    close: http.close,
  }
}

function troubleIn({ code, message }: Refusal): string | null {
  return troubleCodes.has(code) ? `the node cannot answer now (${code} ${message})` : null
}
