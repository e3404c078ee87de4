/** Serves metrics, and health where nothing else does, on an address of their own, without authentication: for a private network. */
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
  /** Why the process cannot do its work; null if it can. Absent: /livez and /readyz are elsewhere. */
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
    } else answer(404, `GET ${paths} is all that is here\n`)
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
