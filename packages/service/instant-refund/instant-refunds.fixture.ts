/** An order whose deposits are refunded instantly, in a service with a simulated solver. Each test gets a new order. */

import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import type { SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { answerOf } from '../testing/fake-chain.fixture.ts'
import type { Answer } from '../testing/fake-solver.fixture.ts'
import { btc, type Call, eventsOf, NOW, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

export function useInstantRefunds() {
  let service: TestService
  let order: Order
  let token: string
  let asked: SolverInstantRefundRequest[]
  let height = 1000n
  beforeAll(async () => {
    service = await startTestService()
  })
  afterEach(() => service.reset())
  afterAll(() => service.close())
  beforeEach(async () => {
    await make(orderBody(btc, wbtc))
    asked = []
    service.solver.onInstantRefund = (id, request) => {
      asked.push(request)
      return id === order.id ? signed(request) : { status: 404, body: { code: 'not_found', message: 'no such order' } }
    }
  })

  async function make(body: object): Promise<void> {
    const { body: reply } = await service.call('POST', '/v2/orders', { body })
    const { order_id: id, order_token: made } = reply.result as { order_id: string; order_token: string }
    const stored = await storedOrder(service.db, id)
    order = stored.order
    token = made
  }

  const signed = ({ refunds }: SolverInstantRefundRequest, changes: (answer: string) => string = (same) => same): Answer => {
    const parsed = refunds.map(({ amount, pays, ...refund }) => ({ ...refund, amount: BigInt(amount), pays: BigInt(pays) }))
    return { status: 200, body: { solver_id: 'first', answer: changes(answerOf(order.source.terms, parsed)) } }
  }

  const patch = (body: unknown = { signatures: [] }, headers: Call['headers'] = { 'order-token': token }) =>
    service.call('PATCH', `/v2/orders/${order.id}?action=instant-refund`, { body, headers })

  return {
    get service() {
      return service
    },
    get order() {
      return order
    },
    set order(other) {
      order = other
    },
    get token() {
      return token
    },
    get asked() {
      return asked
    },
    get height() {
      return height
    },
    set height(next) {
      height = next
    },
    make,
    signed,
    patch,
    hashes: (headers: Call['headers'] = {}) => service.call('GET', `/v2/orders/${order.id}/instant-refund-hash`, { headers }),
    deposit: (name: string, amount: bigint) => ({ ...eventsOf(order.source).initiated(`${name} of ${order.id}`, amount), deposit: name }),
    async mine(leg: 'source' | 'destination', ...events: Parameters<TestService['mine']>[2]): Promise<void> {
      height += 1n
      await service.mine(order[leg].chain, { height, time: NOW }, events)
    },
    back: (number: number) => `refund ${number} of ${order.id}`,
    /** This simulates the engine, which stores the transaction that it sent. */
    send: (tx: string) =>
      service.db
        .insertInto('actions')
        .values({
          key: actionKey(order.id, 'source', 'refund'),
          order_id: order.id,
          leg: 'source',
          verb: 'refund',
          wanted: true,
          last_tx: tx,
        })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ last_tx: tx }))
        .execute(),
    async granted() {
      const grants = (await findOrder(service.db, order.id))?.grants ?? []
      return grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : []))
    },
    async refused(
      status: number,
      code: string,
      words: RegExp,
      body: unknown = { signatures: [] },
      headers: Call['headers'] = { 'order-token': token },
    ): Promise<void> {
      expect(await patch(body, headers)).toMatchObject({ status, body: { status: 'Error', code, error: expect.stringMatching(words) } })
      expect((await findOrder(service.db, order.id))?.grants).toEqual([])
    },
  }
}
