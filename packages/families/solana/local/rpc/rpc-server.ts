// Serves JSON-RPC over HTTP, and subscriptions over websocket on the same port and on the next one, where clients expect them.
import { type Dialect, type RpcHandlers, startJsonRpcServer } from '@tandem/chain-kit/local/json-rpc.ts'
import type { LocalServer } from '@tandem/chain-kit/local/local-server.ts'
import { jsonText } from './json-text.ts'
import { internalError, invalidRequest, parseError } from './rpc-error.ts'

export interface RpcServer extends LocalServer {
  readonly webSocketPort: number
}

const MAX_BYTES = 8 * 1024 * 1024
const PORT_ATTEMPTS = 50

type Params = readonly unknown[]

const dialect: Dialect<Params> = {
  parseError,
  invalidRequest,
  internalError,
  paramsOf: (params) => (Array.isArray(params) ? params : params === undefined || params === null ? [] : undefined),
  write: jsonText,
}

export async function startRpcServer(handlers: RpcHandlers<Params>, port: number): Promise<RpcServer> {
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

/** web3.js expects websockets on the port after the one of HTTP. */
async function startPair(handlers: RpcHandlers<Params>, port: number): Promise<readonly [LocalServer, LocalServer]> {
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

function startOne(handlers: RpcHandlers<Params>, port: number): Promise<LocalServer> {
  return startJsonRpcServer(handlers, dialect, { port, maxBytes: MAX_BYTES, pages: { '/health': 'ok' } })
}
