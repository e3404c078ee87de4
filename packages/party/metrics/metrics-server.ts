/** Serves metrics, and optionally health, on a separate address without authentication, for a private network. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  render: () => Promise<string>,
  /** Returns why the process cannot work, or null. Without it, /livez and /readyz are not served here. */
  readiness: (() => Promise<string | null>) | null = null,
): Promise<MetricsServer> {
  const health: Readonly<Record<string, () => Promise<string | null>>> =
    readiness === null ? {} : { '/livez': async () => null, '/readyz': readiness }
  const paths = ['/metrics', ...Object.keys(health)].join(', ')
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain') => response.writeHead(status, { 'content-type': type }).end(text)
    const { method, url = '' } = request
    const problem = health[url]
    if (method === 'GET' && url === '/metrics') {
      render().then(
        (text) => answer(200, text, METRICS_TYPE),
        () => answer(500, 'the metrics cannot be read; the log says why\n'),
      )
    } else if (method === 'GET' && problem !== undefined) {
      problem().then(
        (text) => (text === null ? answer(200, 'ok\n') : answer(503, `${text}\n`)),
        () => answer(500, 'the check failed\n'),
      )
    } else answer(404, `not found: this server has GET ${paths}\n`)
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
