/** A simulated provider in front of a Tron node: its Ethereum JSON-RPC behaves as a test says, its HTTP API is honest. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EdrRequestError, type JsonRpcCall } from '@tandem/evm/local/edr-provider.ts'
import { startTestProvider, type TestProvider } from '@tandem/evm/server/nodes/provider.fixture.ts'
import { JSON_RPC_PATH } from '../../terms/nodes/json-rpc-path.ts'

export async function startTronProvider(node: string): Promise<TestProvider> {
  const ethereum = await startTestProvider({ request: (call) => askJsonRpc(`${node}${JSON_RPC_PATH}`, call) })
  let isOffline = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (isOffline) return request.socket.destroy()
    const to = request.url === JSON_RPC_PATH ? ethereum.url : `${node}${request.url}`
    const answer = await fetch(to, { method: 'POST', body: Buffer.concat(chunks) })
    return response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...ethereum,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setOffline(offline) {
      isOffline = offline
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await ethereum.close()
    },
  }
}

type Answer = { readonly result?: unknown; readonly error?: ConstructorParameters<typeof EdrRequestError>[0] }

async function askJsonRpc(url: string, call: JsonRpcCall): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
  const { result, error } = (await (await fetch(url, { method: 'POST', body })).json()) as Answer
  if (error !== undefined) throw new EdrRequestError(error)
  return result
}
