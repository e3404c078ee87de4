/** JSON-RPC as Bitcoin Core speaks it. */
import type { ProviderHttp } from '../../providers/http.ts'
import { createJsonRpc, type JsonRpc } from '../../providers/json-rpc.ts'

const TIMEOUT_MS = 20_000
/** Bitcoin Core while it starts: "Loading block index…". */
const RPC_IN_WARMUP = -28

export function createCoreRpc(http: ProviderHttp): JsonRpc {
  return createJsonRpc(http, {
    version: '1.0',
    timeoutMs: TIMEOUT_MS,
    troubleIn: ({ code, message }) => (code === RPC_IN_WARMUP ? `the node is still starting: ${message}` : null),
  })
}
