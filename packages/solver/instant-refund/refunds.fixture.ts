/** Opens a solver that is asked for instant refunds: its orders, deposits and payments. */

import { executeAction } from '@tandem/party/engine/executor.ts'
import { createLeases } from '@tandem/party/engine/leases.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { leaseAction, syncWanted } from '@tandem/party/store/actions/actions.ts'
import { finishAction } from '@tandem/party/store/actions/finish-action.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { isCommittedTo } from '@tandem/party/store/solver/commitments.ts'
import { NOW, openTestStore, sightingsOf, type TestStore } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { createSolverParty } from '../party.ts'
import type { PayCheck } from '../pay-checks.ts'
import { acceptedOrder, caller, fillFor, openSolver, orderRequest, type TestSolver } from '../solver.fixture.ts'
import { signInstantRefunds } from './sign-instant-refunds.ts'

export const HOME = 'fake1aliceaaaaa'

export type Refund = SolverInstantRefundRequest['refunds'][number]

export const refundOf = ({ source }: Order, changes: Partial<Refund> = {}): Refund => {
  const amount = changes.amount ?? source.terms.amount.toString()
  const pays = (BigInt(amount) - 1000n).toString()
  return { deposit: `deposit of ${source.swapId}`, amount, to: HOME, pays, ...changes }
}

export const refused = (code: string, words: RegExp | string = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(words) })

export function useRefundFixture() {
  let store: TestStore
  let solver: TestSolver
  beforeAll(async () => {
    store = await openTestStore()
  })
  afterAll(() => store.close())
  const restart = async () => {
    solver = await openSolver(store)
  }
  beforeEach(restart)

  const agree = (request = orderRequest()) => acceptedOrder(solver, request)

  async function watch(): Promise<void> {
    for (const client of [solver.bitcoin, solver.ethereum])
      await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
  }

  const isOnBitcoin = ({ source }: Order) => source.chain === solver.bitcoin.chain.id

  const executor = (db: Database, payChecks: readonly PayCheck[] = solver.payChecks) => ({
    db,
    registry: solver.context.registry,
    clients: solver.context.clients,
    party: createSolverParty({
      db,
      keys: solver.context.keys,
      redeemWaitSeconds: 0n,
      payChecks,
      guard: solver.context.guard,
      now: () => NOW,
    }),
    leases: createLeases(db, 'engine', 60),
    now: () => NOW,
  })

  async function leaseInitiation({ id }: Order) {
    await syncWanted(store.db, [id], [{ orderId: id, leg: 'destination', verb: 'initiate' }])
    const action = await leaseAction(store.db, 'engine', 60)
    if (action === null) throw new Error('nothing to lease')
    return action
  }

  return {
    get store() {
      return store
    },
    get solver() {
      return solver
    },
    restart,
    agree,
    watch,
    executor,
    leaseInitiation,
    async fund(order: Order, amount = order.source.terms.amount): Promise<void> {
      await watch()
      const client = isOnBitcoin(order) ? solver.bitcoin : solver.ethereum
      client.mine(sightingsOf(order.source.swapId).initiated(amount))
      await watch()
    },
    async initiate(order: Order) {
      if (isOnBitcoin(order)) await fillFor(solver, order)
      const action = await leaseInitiation(order)
      const result = await executeAction(executor(store.db), action)
      await finishAction(store.db, action, result)
      await syncWanted(store.db, [order.id], [])
      return result
    },
    ask: (order: Order, refunds: readonly Refund[] = [refundOf(order)], db = store.db) =>
      signInstantRefunds({ ...solver.context, db }, order.id, { refunds: [...refunds], offer: null }, caller),
    ways: () => store.db.selectFrom('commitments').select('way').execute(),
    async nothingSigned(order: Order): Promise<void> {
      expect(await isCommittedTo(store.db, order.id, 'refund_signed')).toBe(false)
      expect((await findOrder(store.db, order.id))?.grants).toEqual([])
    },
  }
}
