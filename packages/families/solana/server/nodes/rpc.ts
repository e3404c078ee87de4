/** Sends the JSON-RPC of one Solana provider, and separates the provider's own failures from answers about the chain. */
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
  /** Batches calls of the same moment. Rejects with a Refusal, or with `unreachable` if there is no usable answer. */
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** Sends a request of which a refusal says nothing about the chain: a refusal becomes `unreachable` too. */
  read(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

/** These codes mean that the node is behind, is starting, or that its storage fails. */
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
