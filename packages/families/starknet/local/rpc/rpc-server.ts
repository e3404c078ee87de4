// Serves JSON-RPC over HTTP and, with subscriptions, over websocket, on one port.
import { type Listener, type LocalServer, startLocalServer } from '@tandem/chain-kit/local/local-server.ts'
import { type Answer, answerText } from './request.ts'

export type RpcHandlers = {
  readonly http: Answer
  readonly socket: (listener: Listener, ...request: Parameters<Answer>) => unknown
  readonly disconnected: (listener: Listener) => void
}

const MAX_BYTES = 16 * 1024 * 1024

/** `port` 0: any free one. */
export function startRpcServer({ http, socket, disconnected }: RpcHandlers, port: number): Promise<LocalServer> {
  return startLocalServer({
    port,
    maxBytes: MAX_BYTES,
    post: (body) => ({ headers: { 'content-type': 'application/json' }, body: answerText(body.toString('utf8'), http) }),
    socket: {
      answer: (listener, message) => answerText(message, (method, params) => socket(listener, method, params)),
      disconnected,
    },
  })
}
