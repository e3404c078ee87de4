/** Tests the reclaim of a prefund: from its recorded amount through the playbook to the transaction. */

import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { leaseAction, readAction } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import { finishAction } from '../store/actions/finish-action.ts'
import { createApp } from '../store/apps/apps.ts'
import { findOrder } from '../store/orders/orders.ts'
import { recordPrefund } from '../store/orders/prefunds.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { sealSwaps } from '../store/orders/swap-seals.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder, storedOrder, VAULT_KEY } from '../store/store.fixture.ts'
import { freshEngine, registry } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { reconcile } from './reconciler.ts'

const store = sharedStore()
const fixture = freshEngine(store, { source: { chain: 'ethereum_localnet' }, destination: { chain: 'bitcoin_regtest' } })
let amount: bigint
beforeAll(async () => {
  await createApp(store.db, 'shop')
})
let asked: PrefundedSwap[]
beforeEach(async () => {
  amount = fixture.order.source.terms.amount
  asked = []
  await fixture.watch()
  const prefund = {
    amounts: async (swaps: readonly PrefundedSwap[]) => swaps.map(() => amount),
    async reclaim(swap: PrefundedSwap, outbox: Outbox) {
      asked.push(swap)
      expect(outbox.secondsLeft).toBeNull()
      const { id, source } = fixture.order
      await outbox.withKey(async ({ signer, record }) => {
        expect(signer.purpose).toEqual(orderPurpose(source.chain, { order: id, leg: 'source', verb: 'reclaim', terms: source.terms }))
        if (outbox.attempts.length === 0) await record({ tx: 'back', raw: '0x', slots: [], feeRate: 1n })
      })
      return 'back'
    },
  }
  Object.assign(fixture.ethereum, { prefund })
})

const see = (seen: bigint) => recordPrefund(store.db, fixture.order.id, { amount: seen, seenAt: new Date() })
const key = () => actionKey(fixture.order.id, 'source', 'reclaim')
const isWanted = async () => (await readAction(store.db, key()))?.wanted ?? false
const decide = () => reconcile({ db: store.db, registry, party: { role: 'service' } }, NOW)
async function execute() {
  const leased = await leaseAction(store.db, 'engine', 60)
  if (leased === null) return null
  const result = await executeAction(fixture.context('service'), leased)
  await finishAction(store.db, leased, 'againInMs' in result ? { ...result, againInMs: 0 } : result)
  return result
}

test('it is wanted once the source is mined, sent until the prefund is gone, and then no longer wanted', async () => {
  await see(amount)
  await decide()
  expect(await isWanted()).toBe(false)
  await fixture.fund('source')
  await decide()
  expect(await isWanted()).toBe(true)
  expect(await execute()).toMatchObject({ kind: 'sent', tx: 'back' })
  expect(await execute()).toMatchObject({ kind: 'sent', tx: 'back' })
  amount = 0n
  expect(await execute()).toMatchObject({ kind: 'skipped' })
  expect((await findOrder(store.db, fixture.order.id))?.prefund).toBe(0n)
  await decide()
  expect(await isWanted()).toBe(false)
  const { deadline, source } = fixture.order
  expect(asked).toEqual(Array.from({ length: 2 }, () => ({ terms: source.terms, deadline, payer: source.payer })))
  expect(await readAttempts(store.db, key())).toHaveLength(1)
})

test('nothing is signed while another order of the payer can be funded with it', async () => {
  await see(amount)
  await fixture.fund('source')
  await decide()
  const { chain } = fixture.order.source
  const { order } = await putOrder(store.db, { app: 'shop', worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n }, source: { chain } })
  expect(await execute()).toMatchObject({ kind: 'skipped' })
  expect([asked, (await findOrder(store.db, fixture.order.id))?.prefund]).toEqual([[], 0n])
  await store.db.updateTable('order_list').set({ status: 'expired' }).where('order_id', '=', order.id).execute()
  await see(amount)
  await decide()
  expect(await execute()).toMatchObject({ kind: 'sent', tx: 'back' })
})

test('what is at the deposit address of an order is returned whatever other orders of its initiator wait for', async () => {
  const { source, ...stored } = fixture.order
  const order = { ...stored, source: { ...source, depositAddress: '0x12' } }
  const { tokenHash, requestHash } = await storedOrder(store.db, order.id)
  const seal = sealSwaps(createVault(VAULT_KEY), { order, tokenHash, requestHash }).source
  await store.db
    .updateTable('swaps')
    .set({ deposit_address: '0x12', seal })
    .where('order_id', '=', order.id)
    .where('leg', '=', 'source')
    .execute()
  await see(amount)
  await fixture.fund('source')
  await decide()
  await putOrder(store.db, {
    app: 'shop',
    worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n },
    source: { chain: fixture.order.source.chain },
  })
  expect(await execute()).toMatchObject({ kind: 'sent', tx: 'back' })
})

test('the party is asked for the fee of a new one, and its refusal is told', async () => {
  await see(amount)
  await fixture.fund('source')
  await decide()
  const leased = await leaseAction(store.db, 'engine', 60)
  if (leased === null) throw new Error('nothing is due')
  Object.assign(fixture.ethereum.prefund ?? {}, {
    async reclaim(_: PrefundedSwap, outbox: Outbox) {
      await outbox.payForReclaim?.(7n)
      return 'sent all the same'
    },
  })
  const context = fixture.context('service')
  const paid: unknown[] = []
  const payForReclaim = async (order: { readonly id: string }, left: bigint) => {
    paid.push([order.id, left])
    throw new ChainFailure('uneconomic', 'too dear', { refusal: 'return it yourself' })
  }
  expect(await executeAction({ ...context, party: { ...context.party, payForReclaim } }, leased)).toMatchObject({
    kind: 'failed',
    refusal: 'return it yourself',
  })
  expect(paid).toEqual([[fixture.order.id, 7n]])
})

test('nothing is signed if the prefund has become dust meanwhile', async () => {
  await see(amount)
  await fixture.fund('source')
  await decide()
  amount = amount / 100n - 1n
  expect(await execute()).toMatchObject({ kind: 'skipped' })
  expect(asked).toEqual([])
  // The service checks only addresses with a recorded amount of 0.
  expect((await findOrder(store.db, fixture.order.id))?.prefund).toBe(0n)
  await decide()
  expect(await isWanted()).toBe(false)
})

test('an unreachable node causes no reclaim, and the reclaim stays wanted', async () => {
  await see(amount)
  await fixture.fund('source')
  await decide()
  Object.assign(fixture.ethereum.prefund ?? {}, {
    async amounts() {
      throw new ChainFailure('unreachable', 'silent')
    },
  })
  expect(await execute()).toMatchObject({ kind: 'failed', error: 'silent' })
  await decide()
  expect(await isWanted()).toBe(true)
})

test('it runs for a closed order, and then its action is finished', async () => {
  await see(amount)
  await fixture.fund('source')
  await decide()
  await store.db.updateTable('orders').set({ closed_at: new Date() }).execute()
  expect(await execute()).toMatchObject({ kind: 'sent' })
  amount = 0n
  expect(await execute()).toEqual({ kind: 'finished' })
  expect(await isWanted()).toBe(false)
  expect(await execute()).toBeNull()
})

test('an older observation does not replace a newer one', async () => {
  await see(0n)
  await recordPrefund(store.db, fixture.order.id, { amount, seenAt: new Date(0) })
  expect((await findOrder(store.db, fixture.order.id))?.prefund).toBe(0n)
})
