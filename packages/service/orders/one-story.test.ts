import { findOrder } from '@tandem/party/store/orders/orders.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { btc, eventsOf, NOW, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function make() {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  const stored = await findOrder(service.db, (body.result as { order_id: string }).order_id)
  if (stored === null) throw new Error('the order was not made')
  const { order } = stored
  return { ...order, view: async () => (await service.call('GET', `/v2/orders/${order.id}`, {})).body.result as OrderRecord }
}

test('a destination deposit that is seen before the source deposit is told when both are known', async () => {
  const { source, destination, view } = await make()
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

test('a payment that is redeemed is told, whatever is known of the source', async () => {
  const { id, destination, view } = await make()
  const secret = await service.vault.get(service.db, id, 'secret')
  if (secret === null) throw new Error('no secret')
  const { initiated, redeemed } = eventsOf(destination)
  await service.mine('ethereum_localnet', { height: 8n, time: NOW + 30n }, [initiated('0xpaid'), redeemed('0xredeem', secret)])
  expect(await view()).toMatchObject({
    status: 'redeemed',
    source_swap: { initiate_tx_hash: '' },
    destination_swap: { initiate_tx_hash: '0xpaid', redeem_tx_hash: '0xredeem' },
  })
})
