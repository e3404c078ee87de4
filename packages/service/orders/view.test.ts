/** Tests what the API shows of an order in each state. */
import { readCursor, rewind } from '@tandem/party/store/chain/events.ts'
import { addGrant } from '@tandem/party/store/orders/grants.ts'
import { markSecretSigned } from '@tandem/party/store/orders/orders.ts'
import { recordPrefund } from '@tandem/party/store/orders/prefunds.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Leg, type Order } from '@tandem/protocol/order.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { aliceScript, bob, btc, eventsOf, NOW, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
afterEach(() => service.reset())

const view = async (id: string, headers = {}) => {
  const { status, body } = await service.call('GET', `/v2/orders/${id}`, { headers })
  expect(status).toBe(200)
  return body.result as { source_swap: Record<string, unknown>; destination_swap: Record<string, unknown> } & Record<string, unknown>
}

const asRival = () => ({ 'service-app-id': service.otherAppId })

async function make(body: object) {
  const { body: reply } = await service.call('POST', '/v2/orders', { body })
  return (await storedOrder(service.db, (reply.result as { order_id: string }).order_id)).order
}

const refuse = ({ id }: Order, leg: Leg, verb: 'redeem' | 'refund', refusal: string) =>
  service.db
    .insertInto('actions')
    .values({ key: actionKey(id, leg, verb), order_id: id, leg, verb, wanted: true, refusal })
    .execute()

test('a new order, every field', async () => {
  const order = await make({ ...orderBody(btc, wbtc), nonce: 7, affiliate_fees: [{ address: aliceScript, fee: 10 }] })
  const createdAt = new Date(Number(NOW) * 1000).toISOString()
  const swap = {
    created_at: createdAt,
    filled_amount: '0',
    asset_price: 60000,
    secret_hash: order.source.terms.secretHash,
    secret: '',
    initiate_tx_hash: '',
    redeem_tx_hash: '',
    refund_tx_hash: '',
    initiate_block_number: '0',
    redeem_block_number: '0',
    refund_block_number: '0',
    required_confirmations: 1,
    current_confirmations: 0,
    initiate_timestamp: null,
    redeem_timestamp: null,
    refund_timestamp: null,
  }
  expect(await view(order.id)).toEqual({
    created_at: createdAt,
    order_id: order.id,
    nonce: '7',
    version: 'v3',
    solver_id: 'first',
    integrator: 'shop',
    deadline: Number(NOW) + 6 * 3600,
    price_expires_at: Number(NOW) + 6 * 3600,
    affiliate_fees: [{ address: aliceScript, asset: btc, fee: 10, amount: '1000' }],
    status: 'created',
    next_action: { who: 'user', what: 'initiate_source', by: Number(NOW) + 6 * 3600 },
    source_swap: {
      ...swap,
      swap_id: order.source.swapId,
      chain: 'bitcoin_regtest',
      asset: btc,
      initiator: aliceScript,
      redeemer: '5'.repeat(64),
      delegate: order.source.orderKey,
      timelock: 200,
      amount: '1000000',
      fee_from_amount: true,
      deposits: [],
    },
    destination_swap: {
      ...swap,
      network_fee: '0',
      swap_id: order.destination.swapId,
      chain: 'ethereum_localnet',
      asset: wbtc,
      initiator: `0x${'5'.repeat(40)}`,
      redeemer: bob,
      timelock: 180,
      amount: '990000',
    },
  })
})

test('a key of the service shows as delegate, and the address of the user in its place', async () => {
  const { source, destination, id } = await make(orderBody(wbtc, btc))
  const record = await view(id)
  expect(destination).toMatchObject({ orderKey: expect.stringMatching(/^[0-9a-f]{64}$/), terms: { redeemer: destination.orderKey } })
  expect(record.destination_swap).toMatchObject({
    initiator: '5'.repeat(64),
    redeemer: aliceScript,
    delegate: destination.orderKey,
    swap_id: destination.swapId,
  })
  expect(record.source_swap).toMatchObject({ initiator: source.terms.initiator, redeemer: `0x${'5'.repeat(40)}` })
  expect(record.source_swap).not.toHaveProperty('delegate')
})

test('a swap that completes: hashes, blocks, times, and the secret for every app once a chain shows it', async () => {
  const order = await make(orderBody(btc, wbtc))
  const [source, destination] = [eventsOf(order.source), eventsOf(order.destination)]
  const secret = await service.vault.get(service.db, order.id, 'secret')
  if (secret === null) throw new Error('no secret')

  await service.mine('bitcoin_regtest', { height: 100n, time: NOW + 10n }, [source.initiated('fund')])
  await service.mine('bitcoin_regtest', { height: 105n, time: NOW + 20n }, [])
  expect(await view(order.id)).toMatchObject({
    status: 'initiated',
    next_action: { who: 'solver', what: 'initiate_destination' },
    source_swap: {
      filled_amount: '1000000',
      initiate_tx_hash: 'fund:100',
      initiate_block_number: '100',
      initiate_timestamp: new Date((Number(NOW) + 10) * 1000).toISOString(),
      current_confirmations: 1,
      secret: '',
    },
  })

  await service.mine('ethereum_localnet', { height: 7n, time: NOW + 30n }, [destination.initiated('0xlock')])
  expect(await view(order.id)).toMatchObject({
    status: 'counterparty_initiated',
    next_action: { who: 'service', what: 'redeem_destination' },
    destination_swap: { initiate_tx_hash: '0xlock', initiate_block_number: '7', secret: '' },
  })

  // The service has the secret, and no chain shows it yet: it is in no record, not even after it was signed.
  await markSecretSigned(service.db, order.id)
  for (const headers of [{}, asRival()]) expect(JSON.stringify(await view(order.id, headers))).not.toContain(secret)

  await refuse(order, 'destination', 'redeem', 'the payout reverts each time')
  expect((await view(order.id)).next_action).toMatchObject({ what: 'redeem_destination', why: 'the payout reverts each time' })

  await service.mine('ethereum_localnet', { height: 8n, time: NOW + 40n }, [destination.redeemed('0xredeem', secret)])
  expect(await view(order.id)).toMatchObject({
    status: 'redeemed',
    next_action: { who: 'solver', what: 'redeem_source' },
    destination_swap: { redeem_tx_hash: '0xredeem', redeem_block_number: '8', secret },
  })
  const stranger = await view(order.id.toUpperCase(), asRival())
  expect(stranger).toMatchObject({ status: 'redeemed', integrator: 'shop', source_swap: { secret }, destination_swap: { secret } })

  await service.mine('bitcoin_regtest', { height: 106n, time: NOW + 50n }, [source.redeemed('take', secret)])
  expect(await view(order.id)).toMatchObject({
    status: 'counterparty_redeemed',
    next_action: null,
    source_swap: { redeem_tx_hash: 'take', redeem_block_number: '106', refund_tx_hash: '', secret },
  })
})

test('a swap that is refunded, with a deposit in two parts', async () => {
  const order = await make({ ...orderBody(btc, wbtc), source: { asset: btc, owner: aliceScript, amount: '1000000' } })
  const { initiated, refunded } = eventsOf(order.source)
  const part = (tx: string, amount: bigint) => ({ ...initiated(tx, amount), deposit: tx })
  await service.mine('bitcoin_regtest', { height: 200n, time: NOW }, [part('one', 400_000n)])
  expect(await view(order.id)).toMatchObject({
    status: 'initiate_detected',
    next_action: {
      who: 'user',
      what: 'complete_source_deposit',
      or: 'instant-refund',
      why: expect.stringMatching(/add up to [0-9]+ of 1000000: send the missing [0-9]+ .*PATCH \?action=instant-refund/),
    },
    source_swap: { filled_amount: '400000', initiate_tx_hash: 'one:200' },
  })
  await service.mine('bitcoin_regtest', { height: 201n, time: NOW + 1n }, [part('two', 600_000n)])
  expect(await view(order.id)).toMatchObject({
    status: 'initiated',
    source_swap: { filled_amount: '1000000', initiate_tx_hash: 'one:200,two:201', initiate_block_number: '201' },
  })
  await service.mine('bitcoin_regtest', { height: 500n, time: NOW + 2n }, [])
  expect(await view(order.id)).toMatchObject({ status: 'awaiting_refund', next_action: { who: 'service', what: 'refund_source' } })
  await refuse(order, 'source', 'refund', 'the payout reverts each time')
  expect((await view(order.id)).next_action).toMatchObject({ what: 'refund_source', why: 'the payout reverts each time' })
  expect(await service.call('PATCH', `/v2/orders/${order.id}?action=refund`, { body: {} })).toMatchObject({
    status: 409,
    body: { error: 'the payout reverts each time; anyone may call the contract, and it pays the same address' },
  })
  const back = (deposit: string, index: string) => ({ ...refunded('back'), deposit, index })
  await service.mine('bitcoin_regtest', { height: 501n, time: NOW + 3n }, [back('one', 'in:0'), back('two', 'in:1')])
  expect(await view(order.id)).toMatchObject({
    status: 'refunded',
    next_action: null,
    source_swap: { refund_tx_hash: 'back', refund_block_number: '501', redeem_tx_hash: '' },
  })
})

test('an expired order that was signed for says how to withdraw the signature', async () => {
  const order = await make(orderBody(wbtc, btc))
  const grant = { kind: 'initiate', leg: 'source', consent: { kind: 'signature', signature: '0x1234' } } as const
  await addGrant(service.db, order.id, grant)
  expect((await view(order.id)).next_action).toMatchObject({ who: 'service', what: 'initiate_source' })
  service.world.now = order.deadline + 1n
  expect(await view(order.id)).toMatchObject({
    status: 'expired',
    next_action: { who: 'user', what: 'revoke_signature', by: null, why: expect.stringContaining('send revoke_transaction') },
  })
})

test('an unfunded order expires, and a prefunded amount is reclaimed', async () => {
  const order = await make(orderBody(wbtc, btc))
  service.world.now = order.deadline + 1n
  expect(await view(order.id)).toMatchObject({ status: 'expired', next_action: null })
  // The service reclaims a prefunded amount, or the user does if the service cannot.
  const paid = (amount: bigint) => recordPrefund(service.db, order.id, { amount, seenAt: new Date() })
  const { amount } = order.source.terms
  await paid(amount)
  expect((await view(order.id)).next_action).toEqual({ who: 'service', what: 'reclaim_deposit', by: null })
  const key = actionKey(order.id, 'source', 'reclaim')
  const refused = { key, order_id: order.id, leg: 'source', verb: 'reclaim', wanted: true, refusal: 'send reclaim_transaction' } as const
  await service.db.insertInto('actions').values(refused).execute()
  expect((await view(order.id)).next_action).toEqual({ who: 'user', what: 'reclaim_deposit', by: null, why: 'send reclaim_transaction' })
  await paid(amount / 100n - 1n)
  expect((await view(order.id)).next_action).toBeNull()
})

test('what redeems and refunds pay out after their fee, while their chain shows it', async () => {
  const order = await make(orderBody(wbtc, btc))
  const [source, destination] = [eventsOf(order.source), eventsOf(order.destination)]
  const secret = (await service.vault.get(service.db, order.id, 'secret')) ?? ''
  const { amount } = order.destination.terms
  const shown = async () => {
    const { source_swap: paid, destination_swap: got } = await view(order.id)
    return [paid.fee_from_amount, paid.redeemed_amount, got.fee_from_amount, got.redeemed_amount, got.refunded_amount]
  }
  await service.mine('ethereum_localnet', { height: 1_000n, time: NOW + 10n }, [source.initiated('0xfund')])
  await service.mine('bitcoin_regtest', { height: 1_000n, time: NOW + 20n }, [destination.initiated('lock')])
  expect(await shown()).toEqual([undefined, undefined, true, undefined, undefined])
  const ancestor = await readCursor(service.db, 'bitcoin_regtest')
  if (ancestor === null) throw new Error('no block is on record')
  await service.mine('bitcoin_regtest', { height: 1_001n, time: NOW + 30n }, [destination.redeemed('redeem', secret, amount - 286n)])
  expect(await shown()).toEqual([undefined, undefined, true, (amount - 286n).toString(), undefined])
  await rewind(service.db, 'bitcoin_regtest', ancestor)
  expect(await shown()).toEqual([undefined, undefined, true, undefined, undefined])
  // If one payment serves several swaps, nobody can say what this swap got.
  await service.mine('bitcoin_regtest', { height: 1_001n, time: NOW + 40n }, [destination.redeemed('batch', secret, amount + 1n)])
  expect(await shown()).toEqual([undefined, undefined, true, undefined, undefined])
})

test('what came back of all deposits, also of those that did not count', async () => {
  const order = await make(orderBody(btc, wbtc))
  const source = eventsOf(order.source)
  await service.mine('bitcoin_regtest', { height: 2_000n, time: NOW + 10n }, [source.initiated('short', 400_000n)])
  await service.mine('bitcoin_regtest', { height: 2_001n, time: NOW + 20n }, [source.refunded('short-back', 399_700n)])
  expect(await view(order.id)).toMatchObject({ status: 'refunded', source_swap: { filled_amount: '400000', refunded_amount: '399700' } })
})

describe('one story', () => {
  const service = sharedService()

  async function make() {
    const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
    const stored = await storedOrder(service.db, (body.result as { order_id: string }).order_id)
    const { order } = stored
    return { ...order, view: async () => (await service.call('GET', `/v2/orders/${order.id}`, {})).body.result as OrderRecord }
  }

  test('a destination deposit that is seen before the source deposit is shown when both are known', async () => {
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

  test('a payment that is redeemed is shown, whatever is known of the source', async () => {
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
})
