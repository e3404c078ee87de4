/** The part of the service that serves HTTP: quotes, orders, events and pages. It records requests; an engine carries them out. */

import type { Engine } from '@tandem/party/engine/engine.ts'
import type { EngineLink } from '@tandem/party/engine/engine-link.ts'
import type { ServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import { countSettledOrders } from '@tandem/party/store/order-list/settled-orders.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { FastifyInstance } from 'fastify'
import { createApi } from './api/app.ts'
import type { LoadMonitor } from './api/load/load-monitor.ts'
import type { ServiceBase } from './base.ts'
import type { SignClaims } from './earnings/claim-question.ts'
import { createClaims, noClaims } from './earnings/claims.ts'
import { createEventStreams } from './events/event-streams.ts'
import type { EventStreams } from './events/stream-request.ts'
import type { SignRefunds } from './instant-refund/refund-wish.ts'
import { loadOrderState } from './orders/load-order-state.ts'
import { createQuoteIds } from './quotes/quote-ids.ts'
import { serviceOptions } from './service-options.ts'
import { createMempoolPaymentCheck, createPaymentWatch, createPayoutTrial } from './solvers/payment-watch.ts'
import { createSolverPool, type SolverPool } from './solvers/pool.ts'
import { createSolverKeys, type SolverKeys } from './solvers/solver-keys.ts'
import { createSolverRequests } from './solvers/solver-requests.ts'

export type EngineView = Pick<EngineLink, 'expectOrders' | 'wake' | 'chainHealthy' | 'admits' | 'chainStatus' | 'problem' | 'ready'> &
  Partial<Pick<Engine, 'handOver'>> & { readonly signRefunds: SignRefunds; readonly signClaims: SignClaims | null }

/** What the API keeps in memory. An engine in the same process updates it. */
export type ApiMemory = {
  readonly pool: SolverPool
  readonly solverKeys: SolverKeys
  readonly events: EventStreams
  readonly watchPayments: (states: readonly OrderState[]) => void
}

/** The API gets no keys that open or pay, also not in a process that has them. */
type ApiBase = Omit<ServiceBase, 'engineKeys'>

export function createApiMemory({ db, registry, clients, solvers, settings, log, now }: ApiBase): ApiMemory {
  const pool = createSolverPool({ solvers, log, readSettled: () => countSettledOrders(db) })
  return {
    pool,
    solverKeys: createSolverKeys({ db, clients, log }),
    events: createEventStreams({ db, registry, log, now, limits: settings.streamLimits }),
    watchPayments: createPaymentWatch({
      pool,
      log,
      readState,
      tryPayout: createPayoutTrial({ db, clients }),
      isPaymentInMempool: createMempoolPaymentCheck(clients),
    }),
  }

  async function readState(orderId: string) {
    const stored = await findOrder(db, orderId)
    return stored === null ? null : loadOrderState(db, registry, stored, now())
  }
}

export async function createServiceApi(
  base: ApiBase,
  { pool, solverKeys, events }: ApiMemory,
  { engines, metrics, load }: { readonly engines: EngineView; readonly metrics: ServiceMetrics; readonly load: LoadMonitor | null },
): Promise<FastifyInstance> {
  const { loaded, db, registry, clients, solvers, sealer, prices, log, now, nodes, problems, claimKeys } = base
  const { config } = loaded
  return createApi({
    db,
    registry,
    clients,
    solvers,
    pool,
    solverKeys,
    solverRequests: createSolverRequests(
      config.solvers.map(({ id, public_key: publicKey }) => ({ id, publicKey })),
      base.serviceKey,
    ),
    claims: claimKeys === null || engines.signClaims === null ? noClaims : createClaims(clients, claimKeys, engines.signClaims),
    quoteIds: createQuoteIds(base.signingSeed),
    events,
    sealer,
    prices,
    log,
    now,
    expectOrders: engines.expectOrders,
    wake: engines.wake,
    signRefunds: engines.signRefunds,
    chainHealthy: engines.chainHealthy,
    admits: engines.admits,
    engineProblem: engines.problem,
    ...(load !== null && { load }),
    operator: { relay: base.payer, problems, chainStatus: engines.chainStatus, nodes, metrics },
    settings: serviceOptions(config),
  })
}
