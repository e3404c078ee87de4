// Somebody who can write to the database edits who is paid, or who may say so. Nothing is signed or told from such a row; what the user may change is sealed anew.

import { testWallet } from '@tandem/bitcoin/server/script/bip322.fixture.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signWithSolver } from '../instant-refund/sign-with-solver.ts'
import { useRealChains, useRealKeys } from '../testing/real-chains.fixture.ts'
import { bob, btc, eventsOf, NOW, sharedService, wbtc } from '../testing/service.fixture.ts'
import { hashToken } from './create.ts'

const regtest = networkOf('bitcoin:regtest')
const user = testWallet('wpkh', '11'.repeat(32), regtest)
const thief = testWallet('wpkh', '22'.repeat(32), regtest)
const safe = testWallet('wpkh', '33'.repeat(32), regtest)

const service = sharedService()
opened(() => useRealChains(service))
let id: string
let token: string
let height = 1000n
beforeEach(() => make())
afterEach(() => {
  service.reset()
  useRealKeys(service)
})

const bodyFor = (owner: string | null) => ({
  source: { asset: btc, owner, amount: '1000000' },
  destination: { asset: wbtc, owner: bob, amount: '990000' },
})
async function make(body: object = bodyFor(user.address), headers: Record<string, string> = {}): Promise<void> {
  const reply = await service.call('POST', '/v2/orders', { body, headers })
  const made = reply.body.result as { order_id: string; order_token: string }
  id = made.order_id
  token = made.order_token
}
const stored = () => storedOrder(service.db, id)
const forge = (change: ReturnType<typeof sql>, leg = 'source') =>
  sql`update swaps set ${change} where order_id = ${id} and leg = ${leg}`.execute(service.db)
const patch = (action: string, body: object, headers: Record<string, string> = {}) =>
  service.call('PATCH', `/v2/orders/${id}?action=${action}`, { body, headers })
const provenBy = (wallet: typeof user, address: string) => ({
  address,
  signature: wallet.sign(`Tandem refund of order ${id} to ${address}`),
  signatures: [],
})
const found = () => service.logged.some((line) => line.includes('is not as this service wrote it') && line.includes(id))

test.each([null, user.address])('the refund address that a user gives is sealed, first and later: %s', async (owner) => {
  await make(bodyFor(owner))
  if (owner === null) expect(await patch('refund', { address: user.address }, { 'order-token': token })).toMatchObject({ status: 200 })
  assertSealed(service.vault, await stored())
  expect(await patch('refund', provenBy(user, safe.address))).toMatchObject({ status: 200 })
  const changed = await stored()
  expect(changed.order.source.userAddress).toBe(safe.address)
  assertSealed(service.vault, changed)
})

test.each(['refund', 'instant-refund'])('whose address somebody wrote into the row cannot prove a %s to another one', async (action) => {
  await forge(sql`user_address = ${thief.address}`)
  const asked: unknown[] = []
  service.solver.onInstantRefund = (_, request) => {
    asked.push(request)
    return { status: 409, body: { code: 'conflict', message: 'asked' } }
  }
  height += 1n
  const { order } = await stored()
  await service.mine(order.source.chain, { height, time: NOW }, [eventsOf(order.source).initiated(`deposit of ${id}`)])
  expect(await patch(action, provenBy(thief, safe.address), { 'order-token': token })).toMatchObject({ status: 500 })
  expect(found()).toBe(true)
  expect(asked).toEqual([])
  expect((await stored()).order.source.userAddress).toBe(thief.address)
})

test('whose token somebody wrote into the row cannot set the first refund address', async () => {
  await make(bodyFor(null))
  await sql`update orders set token_hash = ${hashToken('aa'.repeat(32))} where id = ${id}`.execute(service.db)
  expect(await patch('refund', { address: thief.address }, { 'order-token': 'aa'.repeat(32) })).toMatchObject({ status: 500 })
  expect(found()).toBe(true)
  expect((await stored()).order.source.userAddress).toBeNull()
})

test('no instant refund is signed to an address that somebody wrote into the row', async () => {
  await forge(sql`user_address = ${thief.address}`)
  const signing = signWithSolver({ vault: service.vault } as never, await stored(), {} as never, { refunds: [], to: thief.address })
  await expect(signing).rejects.toThrow('is not as this service wrote it')
})

describe('a client that keeps the secret', () => {
  test('does not give it to a service whose row pays somebody else', async () => {
    const secret = createSecret()
    await make({ ...bodyFor(user.address), secret_hash: hashSecret(secret) })
    await forge(sql`redeemer = '0x00000000000000000000000000000000000000ff'`, 'destination')
    expect(await patch('redeem', { secret })).toMatchObject({ status: 500 })
    expect(found()).toBe(true)
    expect(await service.vault.get(service.db, id, 'secret')).toBeNull()
  })
})

test('neither a repeated request nor a view is told to pay into an HTLC that somebody wrote into the row', async () => {
  const headers = { 'idempotency-key': createSecret() }
  await make(bodyFor(user.address), headers)
  const repeat = () => service.call('POST', '/v2/orders', { body: bodyFor(user.address), headers })
  expect(await repeat()).toMatchObject({ status: 200, body: { result: { order_id: id } } })
  const { redeemer } = (await stored()).order.source.terms
  await forge(sql`initiator = ${redeemer}`)
  expect(await repeat()).toMatchObject({ status: 500 })
  expect(found()).toBe(true)
  expect(await service.call('GET', `/v2/orders/${id}`)).toMatchObject({ status: 500 })
})

test('a repeated request is not told of an order that somebody else made, with its key and hash written into that row', async () => {
  const headers = { 'idempotency-key': createSecret() }
  await make(bodyFor(user.address), headers)
  const { requestHash } = await stored()
  await sql`update orders set idempotency_key = null where id = ${id}`.execute(service.db)
  await make(bodyFor(thief.address))
  await sql`update orders set idempotency_key = ${headers['idempotency-key']}, request_hash = ${requestHash} where id = ${id}`.execute(
    service.db,
  )
  expect(await service.call('POST', '/v2/orders', { body: bodyFor(user.address), headers })).toMatchObject({ status: 500 })
  expect(found()).toBe(true)
})
