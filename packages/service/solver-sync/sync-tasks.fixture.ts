/** Solver sync tasks run against a simulated solver, the API and a real database. Each test gets a new order. */

import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { SolverFillRequest, SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { completeSettings } from '../context.ts'
import { loadOrderState } from '../orders/load-order-state.ts'
import { answerOf, consentsOf, fillSignature } from '../testing/fake-chain.fixture.ts'
import type { Answer } from '../testing/fake-solver.fixture.ts'
import { btc, deployments, eventsOf, NOW, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'
import type { SyncContext, SyncResult, SyncTask } from './solver-sync.ts'

type TasksOf = (context: SyncContext, states: readonly OrderState[]) => readonly SyncTask[]

export interface SyncFixture {
  readonly service: TestService
  readonly context: SyncContext
  readonly order: Order
  /** This counts how often a task woke the engine. */
  readonly woken: number
  readonly height: bigint
  readonly filled: readonly SolverFillRequest[]
  readonly refunded: readonly SolverInstantRefundRequest[]
  find(id: string): Promise<StoredOrder>
  state(): Promise<OrderState>
  deposit(name: string, amount: bigint): ReturnType<ReturnType<typeof eventsOf>['initiated']>
  mine(...events: Parameters<TestService['mine']>[2]): Promise<void>
  run(tasksOf: TasksOf): Promise<readonly SyncResult[]>
}

export const answerWith = (body: object): Answer => ({ status: 200, body: { solver_id: 'first', ...body } })

/** This is called once per test file, outside of its tests. `from` and `to` are the assets of its orders. */
export function useSyncFixture(from: string = btc, to: string = wbtc): SyncFixture {
  let service: TestService
  let context: SyncContext
  let order: Order
  let woken = 0
  let height = 1000n
  let filled: SolverFillRequest[] = []
  let refunded: SolverInstantRefundRequest[] = []

  beforeAll(async () => {
    service = await startTestService()
    context = {
      db: service.db,
      registry: localRegistry(deployments),
      clients: service.chains,
      solvers: [service.solver.client, service.secondSolver.client],
      vault: service.vault,
      prices: createStaticFeed({}),
      settings: completeSettings({ environment: 'local' }),
      log: createLogger({ name: 'test', level: 'silent' }),
      now: () => service.world.now,
      wake: () => {
        woken += 1
      },
    }
  })
  afterEach(() => service.reset())
  afterAll(() => service.close())
  beforeEach(async () => {
    const { body } = await service.call('POST', '/v2/orders', { body: orderBody(from, to) })
    order = (await find((body.result as { order_id: string }).order_id)).order
    woken = 0
    filled = []
    refunded = []
    service.solver.onFill = (id, request) => {
      filled.push(request)
      return answerWith({ answer: 'signed', signature: fillSignature(order.source.terms, id, fillOf(request)), reason: null })
    }
    service.solver.onInstantRefund = (_id, request) => {
      refunded.push(request)
      const refunds = request.refunds.map(({ amount, pays, ...refund }) => ({ ...refund, amount: BigInt(amount), pays: BigInt(pays) }))
      return answerWith({ answer: (request.offer === null ? consentsOf : answerOf)(order.source.terms, refunds) })
    }
  })

  const find = (id: string) => storedOrder(service.db, id)
  const state = async () => loadOrderState(service.db, context.registry, await find(order.id), service.world.now)

  return {
    get service() {
      return service
    },
    get context() {
      return context
    },
    get order() {
      return order
    },
    get woken() {
      return woken
    },
    get height() {
      return height
    },
    get filled() {
      return filled
    },
    get refunded() {
      return refunded
    },
    find,
    state,
    deposit: (name, amount) => ({ ...eventsOf(order.source).initiated(`${name} of ${order.id}`, amount), deposit: name }),
    async mine(...events) {
      height += 1n
      await service.mine(order.destination.chain, { height, time: NOW }, [])
      await service.mine(order.source.chain, { height, time: NOW }, events)
    },
    async run(tasksOf) {
      return Promise.all(tasksOf(context, [await state()]).map((task) => task.run()))
    },
  }
}

export const fillOf = ({ deposits, block_hash: blockHash, destination_amount: amount }: SolverFillRequest) => ({
  deposits,
  blockHash,
  destinationAmount: BigInt(amount),
})
