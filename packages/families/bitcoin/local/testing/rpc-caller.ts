// Calls the JSON-RPC interface of a test node without a socket.
import { createFaultState, type FaultState } from '../http/faults.ts'
import type { BitcoinNode } from '../node.ts'
import { createRpcHandler } from '../rpc/rpc-server.ts'

export type RpcCaller = {
  readonly faults: FaultState
  call<T>(method: string, params?: readonly unknown[]): T
  raw(body: unknown): { status: number; body: string }
}

export function createRpcCaller(node: BitcoinNode): RpcCaller {
  const faults = createFaultState()
  const handle = createRpcHandler({ node, faults, estimatedSatsPerKvb: 2_000n, startedAtSeconds: node.nowSeconds() }, null)
  function raw(body: unknown): { status: number; body: string } {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = handle({ method: 'POST', path: '/', authorization: undefined, body: text })
    return { status: response.status, body: String(response.body) }
  }
  return {
    faults,
    raw,
    call<T>(method: string, params: readonly unknown[] = []): T {
      const { result, error } = JSON.parse(raw({ id: 1, method, params }).body) as {
        result: T
        error: { code: number; message: string } | null
      }
      if (error !== null) throw new Error(`${error.code}: ${error.message}`)
      return result
    },
  }
}
