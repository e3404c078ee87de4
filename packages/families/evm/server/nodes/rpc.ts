/** Speaks the Ethereum JSON-RPC with one provider, and tells rate limits from other refusals. */

import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { batchCalls } from '@tandem/chain-kit/providers/batch-calls.ts'
import { gatherCalls } from '@tandem/chain-kit/providers/gather-calls.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { createJsonRpc, type RpcCall } from '@tandem/chain-kit/providers/json-rpc.ts'
import { Refusal, saysTooMany } from '@tandem/chain-kit/providers/refusal.ts'
import { type Hex, isHex } from 'viem'

export class NodeRefusal extends Refusal {
  declare readonly data: Hex | null

  constructor(code: number, message: string, data: Hex | null) {
    super(code, message, data)
    this.name = 'NodeRefusal'
  }
}

export interface Rpc {
  /** Rejects with a NodeRefusal, or with ChainFailure('unreachable') when there is no usable answer. */
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /**
   * Such a request must not be sent twice. Those of one moment go together, in their order, if the provider has answered a batch before:
   * one that fails because the provider takes none could not be sent again.
   */
  requestOnce(method: string, params: readonly unknown[]): Promise<unknown>
  requestBatched(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

export function createRpc(endpoint: Endpoint, timeoutMs: number): Rpc {
  const http = createProviderHttp(endpoint)
  const rpc = createJsonRpc(http, {
    version: '2.0',
    timeoutMs,
    troubleIn: () => null,
    isRateLimit,
    // If it was mined in the meantime, a repeated broadcast would be refused for its nonce.
    isRepeatable: (method) => method !== 'eth_sendRawTransaction',
  })
  const refusing =
    (call: (method: string, params: readonly unknown[]) => Promise<unknown>): Rpc['request'] =>
    async (method, params) => {
      try {
        return await call(method, params)
      } catch (error) {
        throw error instanceof Refusal ? new NodeRefusal(error.code, error.message, revertData(error.data)) : error
      }
    }
  let takesBatches = false
  const batch = async (calls: readonly RpcCall[]) => {
    const answers = await rpc.batch(calls)
    takesBatches = true
    return answers
  }
  return {
    request: refusing(rpc.call),
    requestOnce: refusing(gatherCalls(rpc, () => takesBatches)),
    requestBatched: refusing(batchCalls({ ...rpc, batch })),
    close: http.close,
  }
}

/**
 * EIP-1474 has -32005 for an exceeded limit: most providers mean too many requests, some too large a log range. A revert may contain the
 * same words; then they come from the contract.
 */
function isRateLimit({ code, message, data }: Refusal): boolean {
  if (code === 3 || revertData(data) !== null || /revert/i.test(message)) return false
  if (saysTooMany(message)) return true
  return code === 429 || (code === -32005 && !/range|blocks|results|logs|size/i.test(message))
}

function revertData(data: unknown): Hex | null {
  if (isHex(data)) return data
  return typeof data === 'object' && data !== null && 'data' in data && isHex(data.data) ? data.data : null
}
