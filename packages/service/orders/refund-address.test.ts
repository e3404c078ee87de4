// The refund address changes only with a proof by the current address, and only until a refund is signed.

import { testWallet } from '@tandem/bitcoin/server/script/bip322.fixture.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { parseUserKey } from '@tandem/bitcoin/terms/script/user-key.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { leaseAction, readAction, syncWanted } from '@tandem/party/store/actions/actions.ts'
import { finishAction } from '@tandem/party/store/actions/finish-action.ts'
import { lockRefundAddress } from '@tandem/party/store/orders/change-refund-address.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { recordAttempt, storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { OrderList } from '@tandem/protocol/wire/order-list.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectRefused } from '../api/fuzz/expect-refused.fixture.ts'
import { useRealChains, useRealKeys } from '../testing/real-chains.fixture.ts'
import { alice, bob, btc, eventsOf, NOW, sharedService, wbtc } from '../testing/service.fixture.ts'
import { settleRefundAddress } from './refund-address.ts'

const regtest = networkOf('bitcoin:regtest')
const [old, other, third] = ['11', '22', '33'].map((byte) => testWallet('wpkh', byte.repeat(32), regtest)) as [Wallet, Wallet, Wallet]
type Wallet = ReturnType<typeof testWallet>

const service = sharedService()
opened(() => useRealChains(service))
let order: Order
let height = 1000n
beforeEach(async () => {
  order = await make(old.address)
})
afterEach(() => {
  service.reset()
  useRealKeys(service)
})

async function make(owner: string | null): Promise<Order> {
  const { body } = await service.call('POST', '/v2/orders', {
    body: { source: { asset: btc, owner, amount: '1000000' }, destination: { asset: wbtc, owner: bob, amount: '990000' } },
  })
  return (await storedOrder(service.db, (body.result as { order_id: string }).order_id)).order
}

const messageTo = (address: string, id = order.id) => `Tandem refund of order ${id} to ${address}`
const patch = (body: object, action = 'refund') => service.call('PATCH', `/v2/orders/${order.id}?action=${action}`, { body })
const change = (to: Wallet, by: Wallet = old) => patch({ address: to.address, signature: by.sign(messageTo(to.address)) })
const addressNow = async () => (await findOrder(service.db, order.id))?.order.source.userAddress
const recordOf = async () => (await service.call('GET', `/v2/orders/${order.id}`)).body.result as OrderRecord
const isFoundBy = async (address: string) => {
  const { data } = (await service.call('GET', `/v2/orders?address=${address}`)).body.result as OrderList
  return data.some(({ order_id: id }) => id === order.id)
}
const deposit = async () => {
  height += 1n
  await service.mine(order.source.chain, { height, time: NOW }, [eventsOf(order.source).initiated(`deposit of ${order.id}`)])
}
const expire = async () => {
  height += order.source.terms.timelock
  await service.mine(order.source.chain, { height, time: NOW }, [])
}

describe('the record shows where the refund goes, and beside it the key of the order', () => {
  const parties = async () => {
    const { initiator, redeemer, delegate, swap_id } = (await recordOf()).source_swap
    return { initiator, redeemer, delegate, swap_id }
  }

  test('after a change it is the new address; the order is found by either, and by its key', async () => {
    const { terms, orderKey, swapId } = order.source
    const before = { initiator: old.address, redeemer: terms.redeemer, delegate: orderKey, swap_id: swapId }
    expect(await parties()).toEqual(before)
    expect(orderKey).toBe(terms.initiator)
    expect(await isFoundBy(other.address)).toBe(false)
    expect(await change(other)).toMatchObject({ status: 200 })
    expect(await parties()).toEqual({ ...before, initiator: other.address })
    for (const name of [old.address, other.address, other.address.toUpperCase(), String(orderKey), swapId])
      expect(await isFoundBy(name), name).toBe(true)
    expect(await change(third, other)).toMatchObject({ status: 200 })
    expect(await isFoundBy(other.address)).toBe(false)
    expect(await isFoundBy(third.address)).toBe(true)
  })

  test('without an address it is empty, until the order token sets one', async () => {
    const { body } = await service.call('POST', '/v2/orders', {
      body: { source: { asset: btc, amount: '1000000' }, destination: { asset: wbtc, owner: bob, amount: '990000' } },
    })
    const { order_id: id, order_token: token } = body.result as { order_id: string; order_token: string }
    const stored = await findOrder(service.db, id)
    if (stored === null) throw new Error('the order was not made')
    order = stored.order
    expect(await parties()).toMatchObject({ initiator: '', delegate: order.source.orderKey })
    await deposit()
    await patch({ address: other.address, order_token: token })
    expect(await parties()).toMatchObject({ initiator: other.address, delegate: order.source.orderKey })
    for (const name of [other.address, String(order.source.orderKey)]) expect(await isFoundBy(name), name).toBe(true)
  })
})

describe('a proof by the current address', () => {
  test('changes the refund address, before and after a deposit; then only the new address can prove', async () => {
    expect(await change(other)).toMatchObject({ status: 200, body: { result: '' } })
    expect(await addressNow()).toBe(other.address)
    await deposit()
    expect(await change(third, other)).toMatchObject({ status: 200, body: { result: '' } })
    expect(await addressNow()).toBe(third.address)
    await expectRefused(
      service,
      'PATCH',
      `/v2/orders/${order.id}?action=refund`,
      { body: { address: other.address, signature: old.sign(messageTo(other.address)) } },
      'invalid_signature',
      /does not prove the address/,
    )
  })

  test('is asked for before anything is said about deposits', async () => {
    const path = (action: string) => `/v2/orders/${order.id}?action=${action}`
    const [body, words] = [{ address: other.address, signatures: [] }, /give as signature a BIP-322 signature by/]
    for (const action of ['refund', 'instant-refund']) await expectRefused(service, 'PATCH', path(action), { body }, 'forbidden', words)
    order = await make(null)
    for (const action of ['refund', 'instant-refund'])
      await expectRefused(service, 'PATCH', path(action), { body }, 'forbidden', /needs the order_token/)
  })

  test('repeated gets the same answer', async () => {
    const body = { address: other.address, signature: old.sign(messageTo(other.address)) }
    expect([await patch(body), await patch(body)]).toMatchObject([{ status: 200 }, { status: 200, body: { result: '' } }])
    expect(await addressNow()).toBe(other.address)
  })

  test('works for every supported kind of address', async () => {
    for (const kind of ['wpkh', 'sh-wpkh', 'tr'] as const) {
      const wallet = testWallet(kind, '44'.repeat(32), regtest)
      order = await make(wallet.address)
      expect(await change(other, wallet)).toMatchObject({ status: 200 })
      expect(await addressNow()).toBe(other.address)
    }
  })

  test('also starts the refund once the deposit has expired', async () => {
    await deposit()
    await expire()
    let woken = false
    service.world.onWake = () => {
      woken = true
    }
    expect(await change(other)).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
    expect({ woken, address: await addressNow() }).toEqual({ woken: true, address: other.address })
  })

  test('does not change the owner by which the order is listed', async () => {
    await change(other)
    const { data } = (await service.call('GET', `/v2/orders?from_owner=${old.address}`)).body.result as { data: { order_id: string }[] }
    expect(data.map(({ order_id }) => order_id)).toContain(order.id)
  })
})

describe('refuses and keeps the address', () => {
  const refused = (body: object, code: Parameters<typeof expectRefused>[4], words: RegExp, action = 'refund') =>
    expectRefused(service, 'PATCH', `/v2/orders/${order.id}?action=${action}`, { body }, code, words)

  test('without a proof; the error says what to sign', async () => {
    await deposit()
    await expire()
    const words = new RegExp(`BIP-322 signature by ${old.address} over "${messageTo(other.address)}"`)
    await refused({ address: other.address }, 'forbidden', words)
    await refused({ address: other.address, order_token: 'f'.repeat(64) }, 'forbidden', words)
  })

  test.each<[string, () => string]>([
    ['by another address', () => other.sign(messageTo(other.address))],
    ['for another order', () => old.sign(messageTo(other.address, 'f'.repeat(64)))],
    ['for another target', () => old.sign(messageTo(third.address))],
    ['over another text', () => old.sign(`${messageTo(other.address)}\n`)],
    ['that is no base64', () => '%%%'],
    ['that is empty', () => ''],
    ['that is cut off', () => old.sign(messageTo(other.address)).slice(0, 40)],
    ['of another variant', () => `ful${old.sign(messageTo(other.address))}`],
  ])('a proof %s', async (_name, proof) => {
    await deposit()
    for (const action of ['refund', 'instant-refund']) {
      await refused(
        { address: other.address, signature: proof(), signatures: [] },
        'invalid_signature',
        /signature does not prove the address/,
        action,
      )
    }
  })

  test('a proof for an invalid address', async () => {
    for (const address of ['nowhere', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', `02${'79'.repeat(32)}`])
      await refused({ address, signature: old.sign(messageTo(address)) }, 'invalid_address', /^address: /)
  })

  test('a refund before the timelock ends, if the address stays the same', async () => {
    await refused({}, 'conflict', /no deposit was seen/)
    await deposit()
    for (const body of [{}, { address: old.address }, { signature: old.sign(messageTo(old.address)) }])
      await refused(body, 'conflict', /it is too early to refund: the timelock of the deposit ends/)
  })

  test('a change when there is nothing left to refund', async () => {
    await deposit()
    height += 1n
    await service.mine(order.source.chain, { height, time: NOW }, [eventsOf(order.source).redeemed('redeem', '0'.repeat(64))])
    await refused({ address: other.address, signature: old.sign(messageTo(other.address)) }, 'conflict', /nothing to refund/)
  })

  test('a proof on a chain whose users refund with their own wallets', async () => {
    const { body } = await service.call('POST', '/v2/orders', {
      body: {
        source: { asset: wbtc, owner: alice, amount: '1000000' },
        destination: { asset: btc, owner: old.address, amount: '990000' },
      },
    })
    const made = await storedOrder(service.db, (body.result as { order_id: string }).order_id)
    order = made.order
    await refused({ address: bob, signature: '0x00' }, 'forbidden', /cannot be changed/)
  })
})

describe('the address is frozen', () => {
  const attempt = {
    tx: 'ab'.repeat(32),
    raw: '00',
    slots: ['a:0'],
    feeRate: 1n,
    at: NOW,
    chain: 'bitcoin_regtest',
    sender: 's',
    holdsSecret: false,
  }
  const lease = async () => {
    await syncWanted(service.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'refund' }])
    await service.db
      .updateTable('actions')
      .set({ due_at: new Date(0) })
      .where('key', '=', actionKey(order.id, 'source', 'refund'))
      .execute()
    const leased = await leaseAction(service.db, 'worker', 60)
    if (leased?.orderId !== order.id) throw new Error('the action was not leased')
    return leased
  }
  const frozen = {
    status: 409,
    body: { code: 'conflict', error: expect.stringMatching(/cannot be changed any more: a refund to .* is signed/) },
  }

  test('once a refund is signed', async () => {
    expect(await recordAttempt(service.db, [await lease()], attempt)).toBe(true)
    expect(await change(other)).toMatchObject(frozen)
    expect(await addressNow()).toBe(old.address)
  })

  test('once an instant refund is granted', async () => {
    await service.db.insertInto('grants').values({ order_id: order.id, kind: 'instant-refund', leg: 'source', refunds: '[]' }).execute()
    expect(await change(other)).toMatchObject(frozen)
    expect(await addressNow()).toBe(old.address)
  })

  test('a change invalidates the lease of a worker that was about to sign for the old address, and its backoff', async () => {
    const leased = await lease()
    expect(await change(other)).toMatchObject({ status: 200 })
    expect(await recordAttempt(service.db, [leased], attempt)).toBe(false)
    await finishAction(service.db, leased, { kind: 'failed', error: 'too late', againInMs: 3_600_000 })
    expect(await readAction(service.db, leased.key)).toMatchObject({ lastError: null })
    expect(await recordAttempt(service.db, [await lease()], attempt)).toBe(true)
  })

  test('a change waits for a concurrent transaction that records a refund', async () => {
    const leased = await lease()
    let changing: ReturnType<typeof change> | undefined
    await service.db.transaction().execute(async (tx) => {
      // `recordAttempt` uses the same sequence: the action first, then the attempt.
      await tx.selectFrom('actions').select('key').where('key', '=', leased.key).forUpdate().execute()
      changing = change(other)
      await untilWaiting()
      const { at: _, holdsSecret: __, feeRate, ...rest } = attempt
      await tx
        .insertInto('attempts')
        .values({ ...rest, slots: [...rest.slots], action_key: leased.key, number: 1, fee_rate: feeRate })
        .execute()
    })
    expect(await changing).toMatchObject(frozen)
    expect(await addressNow()).toBe(old.address)
  })

  test('a change waits for a concurrent transaction that stores a grant', async () => {
    let changing: ReturnType<typeof change> | undefined
    await service.db.transaction().execute(async (tx) => {
      expect(await lockRefundAddress(tx, order.id)).toBe(old.address)
      changing = change(other)
      await untilWaiting()
      await tx.insertInto('grants').values({ order_id: order.id, kind: 'instant-refund', leg: 'source', refunds: '[]' }).execute()
    })
    expect(await changing).toMatchObject(frozen)
  })

  test('refuses to store a grant for an address that changed meanwhile', async () => {
    const stored = await storedOrder(service.db, order.id)
    await change(other)
    await expect(
      service.db.transaction().execute((tx) => settleRefundAddress({ sealer: service.vault }, tx, stored, old.address)),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/set by another call just now/),
    })
  })

  test('of concurrent changes one wins, and the others get an error', async () => {
    const replies = await Promise.all([change(other), change(third), change(other), change(third)])
    const stands = await addressNow()
    expect([other.address, third.address]).toContain(stands)
    for (const [index, { status, body }] of replies.entries()) {
      const asked = index % 2 === 0 ? other.address : third.address
      if (status === 200) expect(asked).toBe(stands)
      else expect(['conflict', 'invalid_signature']).toContain(body.code)
    }
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  })

  /** Polls until a connection waits for a lock of this database. */
  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rows } = await sql<{ waiting: bigint }>`
        select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        service.db,
      )
      if ((rows[0]?.waiting ?? 0n) > 0n) return
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
})

test("with a client's own key: its address can prove a change; only the client can refund", async () => {
  const key = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'
  order = await make(key)
  expect(order.source.userAddress).toBe(parseUserKey(key, regtest)?.address)
  const wallet = testWallet('tr', '2'.padStart(64, '0'), regtest)
  expect(wallet.address).toBe(order.source.userAddress)
  await deposit()
  await expire()
  expect(await change(other, third)).toMatchObject({ status: 400, body: { code: 'invalid_signature' } })
  expect(await patch({})).toMatchObject({ status: 400, body: { error: expect.stringMatching(/only the holder of the key/) } })
  expect(await patch({ address: other.address })).toMatchObject({ status: 400, body: { error: expect.stringMatching(/only the holder/) } })
  expect(await addressNow()).toBe(wallet.address)
  expect(await change(other, wallet)).toMatchObject({ status: 200, body: { result: '' } })
  expect(await addressNow()).toBe(other.address)
})

test('refuses to refund a deposit that is worth less than the fee', async () => {
  height += 1n
  await service.mine(order.source.chain, { height, time: NOW }, [eventsOf(order.source).initiated(`dust of ${order.id}`, 10n)])
  await expire()
  expect(await patch({})).toMatchObject({ status: 409, body: { error: expect.stringMatching(/worth less than the fee of a refund/) } })
})

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const fromBitcoin = (owner: string | null = address) => ({
  source: { asset: btc, owner, amount: '1000000' },
  destination: { asset: wbtc, owner: bob, amount: '990000' },
  nonce: String(Math.random()),
})
type Result = { order_id: string; to: string; refund_package?: Record<string, unknown> }
const post = async (body: object, headers: Record<string, string> = {}) => {
  const { status, body: reply } = await service.call('POST', '/v2/orders', { body, headers })
  expect(status).toBe(200)
  return reply.result as Result
}

test('contains the private key of the order and its terms', async () => {
  const { order_id: id, to, refund_package: refundPackage } = await post(fromBitcoin())
  const stored = await storedOrder(service.db, id)
  const { terms } = stored.order.source
  expect(refundPackage).toMatchObject({
    family: 'bitcoin',
    version: 1,
    chain: 'bitcoin_regtest',
    address: to,
    refund_address: address,
    terms: {
      asset: btc,
      initiator: terms.initiator,
      redeemer: terms.redeemer,
      amount: '1000000',
      secret_hash: terms.secretHash,
      timelock: terms.timelock.toString(),
    },
  })
  const key = await service.vault.get(service.db, id, 'source-key')
  expect(refundPackage?.private_key).toBe(key)
  expect(Buffer.from(createSecp256k1Key(String(refundPackage?.private_key)).publicKey.subarray(1)).toString('hex')).toBe(terms.initiator)
})

test('has no refund address without an owner', async () => {
  expect((await post(fromBitcoin(null))).refund_package).toMatchObject({ refund_address: null })
})

test('is returned once: not by a repeated request, not by a GET, not in the log', async () => {
  const body = fromBitcoin()
  const first = await post(body, { 'idempotency-key': `key of ${body.nonce}` })
  const key = String(first.refund_package?.private_key)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  const { order_id: id } = first
  for (const again of [await post(body), await post(body, { 'idempotency-key': `key of ${body.nonce}` })]) {
    expect(again).toEqual({ order_id: id, to: first.to, amount: '1000000' })
  }
  for (const path of [`/v2/orders/${id}`, `/v2/orders/${id}/funding`, '/v2/orders?status=all']) {
    const { status, body: reply } = await service.call('GET', path)
    expect(status).toBe(200)
    expect(JSON.stringify(reply)).toContain(id)
    expect(JSON.stringify(reply)).not.toContain(key)
    expect(JSON.stringify(reply)).not.toContain('refund_package')
  }
  expect(service.logged.join('')).not.toContain(key)
})

test('is returned to one of several concurrent requests', async () => {
  const body = fromBitcoin()
  const results = await Promise.all([post(body), post(body), post(body)])
  expect(new Set(results.map(({ order_id: id }) => id)).size).toBe(1)
  expect(results.filter(({ refund_package: refundPackage }) => refundPackage !== undefined)).toHaveLength(1)
})

test('is missing for sources whose users refund with their own wallets', async () => {
  const made = await post({
    source: { asset: wbtc, owner: alice, amount: '1000000' },
    destination: { asset: btc, owner: address, amount: '990000' },
  })
  expect(made).not.toHaveProperty('refund_package')
})
