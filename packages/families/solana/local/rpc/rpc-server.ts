// Serves JSON-RPC over HTTP, and subscriptions over websocket: on the same port, and on the next one, where clients look for them.
import { type Listener, type LocalServer, startLocalServer } from '@tandem/chain-kit/local/local-server.ts'
import { type Answer, answerText } from './request.ts'

export interface RpcServer extends LocalServer {
  readonly webSocketPort: number
}

export type RpcHandlers = {
  /** One request over HTTP. */
  readonly http: Answer
  /** One request over a websocket. */
  readonly socket: (listener: Listener, ...request: Parameters<Answer>) => unknown
  readonly disconnected: (listener: Listener) => void
}

const MAX_BYTES = 8 * 1024 * 1024
const PORT_ATTEMPTS = 50

/** `port` 0: any free pair of ports. */
export async function startRpcServer(handlers: RpcHandlers, port: number): Promise<RpcServer> {
  const servers = await startPair(handlers, port)
  const [main, next] = servers
  return {
    port: main.port,
    webSocketPort: next.port,
    setDelay(delayMs) {
      for (const server of servers) server.setDelay(delayMs)
    },
    setOffline(offline) {
      for (const server of servers) server.setOffline(offline)
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

/** A port and the one after it: web3.js expects websockets there. */
async function startPair(handlers: RpcHandlers, port: number): Promise<readonly [LocalServer, LocalServer]> {
  for (let attempt = 1; ; attempt += 1) {
    const main = await startOne(handlers, port)
    try {
      return [main, await startOne(handlers, main.port + 1)]
    } catch (error) {
      await main.close()
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

function startOne({ http, socket, disconnected }: RpcHandlers, port: number): Promise<LocalServer> {
  return startLocalServer({
    port,
    maxBytes: MAX_BYTES,
    pages: { '/health': 'ok' },
    post: (body) => ({ headers: { 'content-type': 'application/json' }, body: answerText(body.toString('utf8'), http) }),
    socket: {
      answer: (listener, message) => answerText(message, (method, params) => socket(listener, method, params)),
      disconnected,
    },
  })
}
