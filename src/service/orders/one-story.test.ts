import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderRecord } from '../../protocol/wire/order.ts'
import { findOrder } from '../../store/orders/orders.ts'
import { btc, eventsOf, NOW, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a destination deposit that is seen before the source deposit is told when both are known', async () => {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  const stored = await findOrder(service.db, (body.result as { order_id: string }).order_id)
  if (stored === null) throw new Error('the order was not made')
  const { id, source, destination } = stored.order
  const view = async () => (await service.call('GET', `/v2/orders/${id}`, {})).body.result as OrderRecord
  await service.mine('ethereum_localnet', { height: 7n, time: NOW + 30n }, [eventsOf(destination).initiated('0xlock')])
  expect(await view()).toMatchObject({
    status: 'created',
    source_swap: { initiate_tx_hash: '' },
    destination_swap: { initiate_tx_hash: '', filled_amount: '0', current_confirmations: 0 },
  })
  await service.mine('bitcoin_regtest', { height: 100n, time: NOW + 10n }, [eventsOf(source).initiated('fund')])
  expect(await view()).toMatchObject({
    status: 'counterparty_initiated',
    source_swap: { initiate_tx_hash: 'fund:100' },
    destination_swap: { initiate_tx_hash: '0xlock' },
  })
})
