// Serves JSON-RPC over HTTP and, with subscriptions, over websocket, on one port.
import { type Answer as AnyAnswer, type Dialect, type RpcHandlers, startJsonRpcServer } from '@tandem/chain-kit/local/json-rpc.ts'
import type { LocalServer } from '@tandem/chain-kit/local/local-server.ts'
import { internalError, invalidRequest, parseError } from './rpc-error.ts'

export type Answer = AnyAnswer<unknown>

const MAX_BYTES = 16 * 1024 * 1024
const dialect: Dialect<unknown> = { parseError, invalidRequest, internalError, paramsOf: (params) => params ?? null, write: JSON.stringify }

export function startRpcServer(handlers: RpcHandlers<unknown>, port: number): Promise<LocalServer> {
  return startJsonRpcServer(handlers, dialect, { port, maxBytes: MAX_BYTES })
}
