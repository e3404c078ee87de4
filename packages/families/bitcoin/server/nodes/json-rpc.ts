/** JSON-RPC as Bitcoin Core speaks it. */
import type { ProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { createJsonRpc, type JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'

const TIMEOUT_MS = 20_000
/** Bitcoin Core while it starts: "Loading block index…". */
const RPC_IN_WARMUP = -28

export function createCoreRpc(http: ProviderHttp): JsonRpc {
  return createJsonRpc(http, {
    version: '1.0',
    timeoutMs: TIMEOUT_MS,
    // A node of its own has no such limit, and a refused transaction may have these words in its reason. A proxy answers 429.
    isRateLimit: () => false,
    // A scan whose connection broke goes on in the node, which would refuse a second one.
    isRepeatable: (method) => method !== 'scantxoutset',
    troubleIn: ({ code, message }) => (code === RPC_IN_WARMUP ? `the node is still starting: ${message}` : null),
  })
}
