/** The real API is on a port of its own, without rate limits: all requests of a bench come from one address. */

import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { type ApiDependencies, createApi } from '@tandem/service/api/app.ts'

const NO_LIMIT = 1_000_000_000

type Given = 'db' | 'registry' | 'clients' | 'solvers'
/** A dependency that a bench does not give is silent, or says that all is well. */
export type BenchApi = Pick<ApiDependencies, Given> &
  Partial<Omit<ApiDependencies, Given | 'settings'>> & { readonly environment?: ApiDependencies['settings']['environment'] }

export const benchVault = createVault('42'.repeat(32))

export async function listen({ environment = 'local', ...given }: BenchApi): Promise<{ readonly url: string; close(): Promise<void> }> {
  const api = createApi({
    sealer: benchVault,
    prices: createStaticFeed({}),
    log: createLogger({ name: 'bench', level: 'error', pretty: false }),
    now: () => BigInt(Math.floor(Date.now() / 1000)),
    expectOrders: () => undefined,
    wake: () => undefined,
    signRefunds: () => Promise.reject(new Error('a bench asks for no instant refund')),
    chainHealthy: () => true,
    admits: () => true,
    ...given,
    settings: { environment, rateLimitPerMinute: NO_LIMIT, addressLimitPerMinute: NO_LIMIT, orderLimitPerMinute: NO_LIMIT },
  })
  return { url: await api.listen({ host: '127.0.0.1', port: 0 }), close: () => api.close() }
}
