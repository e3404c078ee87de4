// These orders are paid from an account, by its own transactions or by a signature that the service relays.

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { AppSettings } from '@tandem/party/store/apps/app-settings.ts'
import { updateApp } from '@tandem/party/store/apps/apps.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type FakeChain, signatureOf } from '../testing/fake-chain.fixture.ts'
import { acceptanceOf } from '../testing/fake-solver.fixture.ts'
import { btc, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
let chain: FakeChain
let honest: FakeChain
beforeAll(async () => {
  const fake = service.chains.get('ethereum_localnet')
  if (fake === undefined) throw new Error('no such chain')
  chain = fake
  honest = { ...fake }
})
afterEach(async () => {
  service.reset()
  Object.assign(chain, { gasless: honest.gasless, funding: honest.funding })
  await settle({ approval: 'exact', sponsoredPerDay: null })
  for (const table of ['attempts', 'grants'] as const) await service.db.deleteFrom(table).execute()
})

const settle = (settings: Partial<AppSettings>) => updateApp(service.db, 'shop', settings)
const post = (body: unknown) => service.call('POST', '/v2/orders', { body })
async function make(): Promise<Order> {
  const { body } = await post(orderBody(wbtc, btc))
  return (await storedOrder(service.db, (body.result as { order_id: string }).order_id)).order
}
const initiate = ({ id, source }: Order, signature = signatureOf(source.terms)) =>
  service.call('PATCH', `/v2/orders/${id}?action=initiate`, { body: { signature } })

/** This simulates the engine, which writes the action. */
const write = ({ id }: Order, columns: object) =>
  service.db
    .insertInto('actions')
    .values({ key: actionKey(id, 'source', 'initiate'), order_id: id, leg: 'source', verb: 'initiate', wanted: true, ...columns })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
    .execute()

test('refuses the solver itself as owner or delegate; another solver may take the order', async () => {
  const body = orderBody(wbtc, btc)
  const redeemer = `0x${'5'.repeat(40)}`
  const before = await service.countRows()
  for (const [field, name] of [
    ['owner', redeemer],
    ['delegate', redeemer],
  ] as const) {
    const reply = await post({ ...body, source: { ...body.source, [field]: name } })
    const error = expect.stringContaining(`source.${field} ${redeemer} is the solver, the other party`)
    expect(reply).toMatchObject({ status: 400, body: { code: 'bad_request', error } })
  }
  expect(await service.countRows()).toEqual(before)
  service.secondSolver.onOrder = (request) => {
    const acceptance = acceptanceOf('second', request)
    return { status: 200, body: { ...acceptance, source: { ...acceptance.source, redeemer: `0x${'77'.repeat(20)}` } } }
  }
  expect((await post({ ...body, source: { ...body.source, delegate: redeemer } })).status).toBe(200)
})

test('the family is told the offer that was signed, with all of its signatures, where it verifies and where it counts', async () => {
  const seen: (string | undefined)[] = []
  const note = async (_: unknown, signature: string) => {
    seen.push(signature)
    throw new TandemError('invalid_signature', 'seen')
  }
  Object.assign(chain, { gasless: { ...chain.gasless, verify: note } })
  const { id } = await make()
  const give = (body: object) => service.call('PATCH', `/v2/orders/${id}?action=initiate`, { body })
  for (const body of [{ signature: '0x12' }, { signature: '0x12', offer: 'authorization' }, { signature: ['0x1', '0x2'], offer: 'permit' }])
    expect(await give(body)).toMatchObject({ status: 400, body: { code: 'invalid_signature' } })
  expect(seen).toEqual(['0x12', 'authorization:0x12', 'permit:0x1,0x2'])
  for (const offer of ['', 'a b', 'A', 'x:y', 'x'.repeat(33), 5])
    expect(await give({ signature: '0x12', offer }), String(offer)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect(seen).toHaveLength(3)
})

test('the limits of an offer are asked for with its signature and the deadline of the order', async () => {
  const asked: unknown[] = []
  const gasless: Partial<ChainClient['gasless']> = {
    verify: async () => undefined,
    spendable: async (_, deadline, signature) => {
      asked.push([deadline, signature])
      return 0n
    },
    limits: async (_, signature, deadline) => {
      asked.push([deadline, signature])
      return relayLimits.byContract
    },
  }
  Object.assign(chain, { gasless: { ...chain.gasless, ...gasless } })
  const { id, deadline } = await make()
  const body = { signature: '0x12', offer: 'permit2' }
  expect(await service.call('PATCH', `/v2/orders/${id}?action=initiate`, { body })).toMatchObject({ status: 409 })
  expect(asked).toEqual([
    [deadline, 'permit2:0x12'],
    [deadline, 'permit2:0x12'],
  ])
})

test("the approval amount follows the app's setting", async () => {
  const asked: string[] = []
  chain.funding = (request) => {
    asked.push(request.approval)
    return honest.funding(request)
  }
  const { id } = await make()
  await settle({ approval: 'unlimited' })
  await service.call('GET', `/v2/orders/${id}/funding`)
  await make()
  expect(asked).toEqual(['exact', 'unlimited', 'unlimited'])
})

test('returns a separate transaction for a token whose allowance must be reset before the approval', async () => {
  const call = { chainId: 31337, to: `0x${'c'.repeat(40)}`, data: '0xa0', value: 0n, gasLimit: 255n }
  chain.funding = async (request) =>
    ({ ...(await honest.funding(request)), approvalReset: call }) as Awaited<ReturnType<FakeChain['funding']>>
  const { body } = await post(orderBody(wbtc, btc))
  expect(body.result).toMatchObject({
    approval_reset_transaction: { chain_id: 31337, data: '0xa0', value: '0x0', gas_limit: '0xff' },
    approval_transaction: { data: '0xa1' },
  })
})

test('refuses a signature beyond the budget of the app, with Retry-After', async () => {
  await settle({ sponsoredPerDay: 1 })
  const [first, second] = [await make(), await make()]
  expect((await initiate(first, 'forged')).body.code).toBe('invalid_signature')
  // The wait is zero, so nothing is sent in time. The grant counts against the budget anyway.
  expect((await initiate(first)).status).toBe(503)
  await write(first, { last_tx: '0xfirst' })
  const refused = await initiate(second)
  expect(refused).toMatchObject({
    status: 429,
    body: { code: 'rate_limited', error: expect.stringMatching(/1 in 24 hours, try again in \d{5} seconds; send initiate_transaction/) },
  })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
  expect((await findOrder(service.db, second.id))?.grants).toEqual([])
  expect((await initiate(first)).body.result).toBe('0xfirst')
  await settle({ sponsoredPerDay: 2 })
  expect((await initiate(second)).status).toBe(503)
})

test('refuses to sponsor: funds pledged to other orders, too many unmined relays, too many reverts', async () => {
  const [first, second, third, fourth, fifth] = [await make(), await make(), await make(), await make(), await make()]
  const { amount, asset, initiator } = first.source.terms
  let spendable: bigint | null = 2n * amount - 1n
  Object.assign(chain, { gasless: { ...honest.gasless, spendable: async () => spendable } })
  expect((await initiate(first)).status).toBe(503)
  const refused = await initiate(second)
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(refused.body.error).toContain(`${initiator} can spend ${spendable} of ${asset}, ${amount} of it pledged to orders`)
  expect((await findOrder(service.db, second.id))?.grants).toEqual([])
  // A repeated call for the first order joins it.
  expect((await initiate(first)).status).toBe(503)
  spendable = null
  Object.assign(chain, { gasless: { ...honest.gasless, limits: async () => relayLimits.byContract } })
  expect(await initiate(second)).toMatchObject({ status: 409, body: { error: expect.stringContaining('1 gasless initiations') } })
  Object.assign(chain, { gasless: honest.gasless })
  for (const order of [second, third]) expect((await initiate(order)).status).toBe(503)
  expect(await initiate(fourth)).toMatchObject({ status: 409, body: { error: expect.stringContaining('3 gasless initiations') } })

  for (const [index, order] of [first, second, third].entries()) {
    await write(order, { last_tx: `0x${index}` })
    const attempt = { number: 1, chain: chain.chain.id, sender: 'relay', tx: `0x${index}`, raw: '', slots: [], fee_rate: 1n }
    await service.db
      .insertInto('attempts')
      .values({ action_key: actionKey(order.id, 'source', 'initiate'), ...attempt, reverted_at: new Date() })
      .execute()
  }
  const last = await initiate(fifth)
  expect(last).toMatchObject({
    status: 429,
    body: { code: 'rate_limited', error: expect.stringMatching(/3 relayed .* reverted .* 24 hours/) },
  })
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(86_000)
})

test('returns the cause of a reverted relay, and relays again once the cause is gone', async () => {
  const order = await make()
  await initiate(order)
  await write(order, { last_tx: '0xdead' })
  expect((await initiate(order)).body.result).toBe('0xdead')

  let cause: TandemError | null = new TandemError('bad_request', 'alice has approved 0')
  const reverted = new Set(['0xdead'])
  const gasless = {
    ...honest.gasless,
    hasReverted: async (tx: string) => reverted.has(tx),
    async verify() {
      if (cause !== null) throw cause
    },
  }
  Object.assign(chain, { gasless })
  const told = 'the relayed transaction 0xdead was mined and reverted: alice has approved 0'
  // The answer is the same before and after the engine has noticed the revert.
  expect(await initiate(order)).toMatchObject({ status: 400, body: { code: 'bad_request', error: told } })
  await write(order, { last_tx: null, reverted_tx: '0xdead', refusal: told })
  expect(await initiate(order)).toMatchObject({ status: 400, body: { code: 'bad_request', error: told } })
  const view = async () => (await service.call('GET', `/v2/orders/${order.id}`)).body.result
  expect(await view()).toMatchObject({ status: 'created', next_action: { who: 'user', what: 'initiate_source', why: told } })

  cause = null
  await service.db
    .updateTable('actions')
    .set({ due_at: new Date('2100-01-01') })
    .where('order_id', '=', order.id)
    .execute()
  expect((await initiate(order)).status).toBe(503)
  const { due_at: due, refusal } = await service.db
    .selectFrom('actions')
    .select(['due_at', 'refusal'])
    .where('order_id', '=', order.id)
    .executeTakeFirstOrThrow()
  expect({ isDue: due <= new Date(), refusal }).toEqual({ isDue: true, refusal: null })
  await write(order, { last_tx: '0xlive', reverted_tx: null })
  expect((await initiate(order)).body.result).toBe('0xlive')
  expect(await view()).toMatchObject({ next_action: { who: 'service', what: 'initiate_source' } })
})

test('takes a new signature for a transaction that expires, before and after it has', async () => {
  const order = await make()
  const expired = 'the blockhash has expired'
  let valid = ['first', 'second']
  const gasless = {
    ...honest.gasless,
    hasReverted: async () => false,
    async verify(_: unknown, signature: string) {
      if (!valid.includes(signature)) throw new TandemError('bad_request', expired)
    },
  }
  Object.assign(chain, { gasless })
  await initiate(order, 'first')
  await write(order, { last_tx: '0xsent' })
  const granted = async () => (await findOrder(service.db, order.id))?.grants
  // The transaction may still be mined.
  expect((await initiate(order, 'second')).body.result).toBe('0xsent')
  expect(await granted()).toMatchObject([{ consent: { signature: 'second' } }])

  valid = ['third']
  await write(order, { last_tx: null, reverted_tx: '0xsent', refusal: expired })
  expect(await initiate(order, 'second')).toMatchObject({ status: 400, body: { code: 'bad_request', error: expired } })
  expect((await initiate(order, 'third')).status).toBe(503)
  expect(await granted()).toMatchObject([{ consent: { signature: 'third' } }])
})
