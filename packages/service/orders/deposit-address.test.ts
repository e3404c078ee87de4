/** Tests orders that are funded at a deposit address: what is asked, what is answered and shown, and what is refused. */
import { recordPrefund } from '@tandem/party/store/orders/prefunds.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeAddresses } from '../testing/fake-chain.fixture.ts'
import { alice, bob, btc, eventsOf, NOW, orderBody, sharedService, startTestService, usdc, wbtc } from '../testing/service.fixture.ts'

const CHAIN = 'ethereum_localnet'
const service = sharedService()
const addresses = fakeAddresses()
beforeEach(() => {
  Object.assign(service.chains.get(CHAIN) ?? {}, { prefund: addresses })
})
afterEach(() => {
  Object.assign(service.chains.get(CHAIN) ?? {}, { prefund: undefined })
  service.reset()
})

const body = () => ({ ...orderBody(wbtc, btc), deposit: 'address' })
const post = (asked: unknown, headers: Record<string, string> = {}) => service.call('POST', '/v2/orders', { body: asked, headers })
async function make(asked: unknown = body(), headers: Record<string, string> = {}) {
  const reply = await post(asked, headers)
  expect(reply.body.error).toBeNull()
  return reply.body.result as { order_id: string; to: string; amount: string } & Record<string, unknown>
}
const view = async (id: string) => (await service.call('GET', `/v2/orders/${id}`)).body.result as OrderRecord
const arrive = (id: string, amount: bigint) => recordPrefund(service.db, id, { amount, seenAt: new Date() })

test('is refused, and nothing is kept, on a chain that was not seen to execute what addresses need', async () => {
  let isProven = false
  Object.assign(service.chains.get(CHAIN) ?? {}, { prefund: { ...addresses, isProven: () => isProven } })
  expect(await post(body())).toMatchObject({ status: 400, body: { error: expect.stringContaining(`${CHAIN} has no deposit address`) } })
  isProven = true
  await make()
})

describe('the answer', () => {
  test('is an address that follows from the terms and the deadline, and a package without secrets to take the money back with', async () => {
    const result = await make()
    const { order, tokenHash } = await storedOrder(service.db, result.order_id)
    const { source, deadline } = order
    const to = addresses.addressOf?.({ terms: source.terms, deadline })
    expect(result).toMatchObject({ to, amount: '1000000', order_token: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(tokenHash).not.toBeNull()
    expect(source).toMatchObject({ depositAddress: to, payer: null })
    expect(order.destination.depositAddress).toBeNull()
    expect(result.refund_package).toMatchObject({
      kind: 'deposit-address',
      family: 'evm',
      chain: CHAIN,
      asset: wbtc,
      initiator: alice,
      redeemer: source.terms.redeemer,
      amount: '1000000',
      secret_hash: source.terms.secretHash,
      timelock: source.terms.timelock.toString(),
      deadline: deadline.toString(),
      address: to,
    })
    expect(Object.keys(result).toSorted()).toEqual(['amount', 'order_id', 'order_token', 'refund_package', 'to'])
  })

  test('is repeated without what is told once, and an order with an address is another request than one without', async () => {
    const headers = { 'idempotency-key': `once ${Math.random()}` }
    const { order_id, to, amount } = await make(body(), headers)
    expect(await make(body(), headers)).toEqual({ order_id, to, amount })
    expect(await post(orderBody(wbtc, btc), headers)).toMatchObject({ status: 409, body: { code: 'conflict' } })
    const funding = await service.call('GET', `/v2/orders/${order_id}/funding`)
    expect(funding.body.result).toEqual({ order_id, to, amount })
  })

  test('is what it always was where the HTLC is an address itself, and without the wish', async () => {
    const bitcoin = await make({ ...orderBody(btc, wbtc), deposit: 'address' })
    const stored = await storedOrder(service.db, bitcoin.order_id)
    expect(stored.order.source).toMatchObject({ swapId: bitcoin.to, depositAddress: null })
    for (const deposit of [null, undefined]) {
      const { order_id } = await make({ ...body(), deposit })
      expect((await storedOrder(service.db, order_id)).order.source.depositAddress).toBeNull()
      expect((await view(order_id)).source_swap).not.toHaveProperty('deposit_address')
    }
  })

  test.each([
    [
      'a chain without addresses',
      () => ({ ...orderBody(usdc, btc), deposit: 'address' }),
      /deposit: .*arbitrum_localnet has no deposit address/,
    ],
    ['a delegate', () => ({ ...body(), source: { ...body().source, delegate: bob } }), /source.delegate has no meaning with deposit/],
    ['an unknown word', () => ({ ...body(), deposit: 'adress' }), /deposit/],
    ['true', () => ({ ...body(), deposit: true }), /deposit/],
    ['no owner', () => ({ ...body(), source: { ...body().source, owner: '' } }), /source.owner/],
  ])('is a refusal for %s', async (_, asked, words) => {
    const before = await service.countRows()
    const reply = await post(asked())
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatch(words)
    expect(await service.countRows()).toEqual(before)
  })

  test('is a refusal for an owner that could not be refunded what others pay; who pays alone has the asset already', async () => {
    const asked: unknown[] = []
    const owner = `0x${'ab'.repeat(20)}`
    Object.assign(service.chains.get(CHAIN) ?? {}, {
      async checkRecipient(address: string, asset: string, payout: unknown) {
        asked.push([address, asset, payout])
        return payout === null ? null : 'it has no account'
      },
    })
    const source = { ...body().source, owner }
    const reply = await post({ ...body(), source })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_address' } })
    expect(reply.body.error).toMatch(/source.owner: .* it has no account/)
    expect((await post({ ...orderBody(wbtc, btc), source })).status).toBe(200)
    const refund = { amount: 1_000_000n, payer: null, isTrusted: true, isRefund: true }
    expect(asked).toEqual([
      [owner, wbtc, refund],
      [owner, wbtc, null],
    ])
  })

  test('is a refusal while the service could not pay for the initiation', async () => {
    const poor = await startTestService()
    try {
      const cost = { decimals: 18, initiate: 1n, redeem: 0n, refund: 0n }
      const balance = async () => 0n
      Object.assign(poor.chains.get(CHAIN) ?? {}, { prefund: addresses, addressOf: () => alice, balance, legCost: async () => cost })
      const ask = (asked: unknown) => poor.call('POST', '/v2/orders', { body: asked })
      const refused = { status: 503, body: { error: expect.stringMatching(/too little .* to pay for initiations on ethereum_localnet/) } }
      // The first one starts the check, and does not wait for it.
      await vi.waitFor(async () => expect(await ask(body())).toMatchObject(refused))
      expect((await ask(orderBody(wbtc, btc))).status).toBe(200)
    } finally {
      await poor.close()
    }
  })

  test('is a refusal where the app has its sponsorship off', async () => {
    await service.db.updateTable('apps').set({ gas_sponsorship: false }).where('name', '=', 'shop').execute()
    const reply = await post(body())
    await service.db.updateTable('apps').set({ gas_sponsorship: true }).where('name', '=', 'shop').execute()
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(/sponsorship is off/) } })
  })

  test('never depends on what else a caller sends: the address is ours or there is none', async () => {
    const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant('address'), fc.object())
    await fc.assert(
      fc.asyncProperty(field, fc.record({ deposit_address: field, to: field, deadline: field }), async (deposit, more) => {
        const reply = await post({ ...orderBody(wbtc, btc), ...more, deposit })
        if (reply.status !== 200) {
          expect(reply.status).toBe(400)
          return
        }
        const { order_id, to } = reply.body.result as { order_id: string; to?: string }
        const { source, deadline } = (await storedOrder(service.db, order_id)).order
        const expected = deposit === 'address' ? addresses.addressOf?.({ terms: source.terms, deadline }) : undefined
        expect([to, source.depositAddress ?? undefined, deadline]).toEqual([expected, expected, NOW + 3600n])
      }),
      { numRuns: 25 },
    )
  })
})

describe('an order with a deposit address', () => {
  test('shows its address and what has arrived, and who acts next, until the deadline', async () => {
    const { order_id: id, to } = await make()
    const { deadline, source } = (await storedOrder(service.db, id)).order
    const { amount } = source.terms
    expect(await view(id)).toMatchObject({
      status: 'created',
      source_swap: { deposit_address: to, deposit_amount: '0', initiator: alice },
      next_action: { who: 'user', what: 'initiate_source', by: Number(deadline) },
    })
    await arrive(id, amount - 400_000n)
    expect(await view(id)).toMatchObject({
      status: 'initiate_detected',
      source_swap: { deposit_amount: '600000', filled_amount: '0' },
      next_action: {
        who: 'user',
        what: 'complete_source_deposit',
        by: Number(deadline),
        why: expect.stringMatching(/600000 of 1000000.* missing 400000/),
      },
    })
    await arrive(id, amount)
    expect(await view(id)).toMatchObject({ status: 'initiate_detected', next_action: { who: 'service', what: 'initiate_source' } })
    const key = actionKey(id, 'source', 'initiate')
    await service.db
      .insertInto('actions')
      .values({ key, order_id: id, leg: 'source', verb: 'initiate', wanted: true, refusal: 'no more are paid for' })
      .execute()
    expect((await view(id)).next_action).toMatchObject({ who: 'user', what: 'initiate_source', why: 'no more are paid for' })
    await service.db.deleteFrom('actions').where('key', '=', key).execute()
    service.world.now = deadline + 1n
    expect(await view(id)).toMatchObject({ status: 'expired', next_action: { who: 'service', what: 'reclaim_deposit' } })
    await arrive(id, 0n)
    expect(await view(id)).toMatchObject({ status: 'expired', next_action: null })
  })

  test('is as every other one once it is initiated, with the surplus beside it', async () => {
    const { order_id: id } = await make()
    const { source } = (await storedOrder(service.db, id)).order
    await arrive(id, source.terms.amount * 2n)
    await service.mine(CHAIN, { height: 5_000n, time: NOW + 10n }, [eventsOf(source).initiated('0xfund')])
    await arrive(id, source.terms.amount)
    expect(await view(id)).toMatchObject({
      status: 'initiated',
      source_swap: { filled_amount: '1000000', deposit_amount: '1000000' },
      next_action: { who: 'solver', what: 'initiate_destination' },
    })
  })

  test('is found by its address', async () => {
    const { order_id: id, to } = await make()
    await make()
    for (const address of [to, to.toUpperCase().replace('0X', '0x')]) {
      const { body: found } = await service.call('GET', `/v2/orders?address=${address}`)
      expect((found.result as { data: readonly OrderRecord[] }).data.map(({ order_id }) => order_id)).toEqual([id])
    }
  })

  test.each([
    ['address', sql`update swaps set deposit_address = ${`0x${'66'.repeat(20)}`} where leg = 'source'`],
    ['mark', sql`update swaps set deposit_address = null where leg = 'source'`],
  ])('whose %s somebody changed in the row is shown and told to nobody', async (_, forge) => {
    const headers = { 'idempotency-key': `forged ${Math.random()}` }
    const { order_id: id } = await make(body(), headers)
    assertSealed(service.vault, await storedOrder(service.db, id))
    await sql`${forge} and order_id = ${id}`.execute(service.db)
    for (const path of [`/v2/orders/${id}`, `/v2/orders/${id}/funding`])
      expect(await service.call('GET', path)).toMatchObject({ status: 500 })
    expect(await post(body(), headers)).toMatchObject({ status: 500 })
    expect(service.logged.some((line) => line.includes('is not as this service wrote it') && line.includes(id))).toBe(true)
  })
})
