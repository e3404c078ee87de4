/** Serves metrics on an address of their own, without authentication: for a private network. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

/** The text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  render: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics is all that is here\n')
      return
    }
    render().then(
      (text) => response.writeHead(200, { 'content-type': METRICS_TYPE }).end(text),
      () => response.writeHead(500, { 'content-type': 'text/plain' }).end('the metrics cannot be read; the log says why\n'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
