import { prefundedGrant } from '@tandem/protocol/grants.fixture.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { expect, test } from 'vitest'
import { createApp } from '../apps/apps.ts'
import { addSponsoredInitiate } from '../apps/sponsorship.ts'
import { addGrant } from '../orders/grants.ts'
import { exampleOrder, NOW, openTestStore, putOrder, recordAttempt } from '../store.fixture.ts'
import { leaseAction, syncWanted } from './actions.ts'

import { noteReverted, readRevertedRelays } from './reverted-relays.ts'

test('reverted relays count against an initiator, or against who prefunded the order in their name', async () => {
  const store = await openTestStore()
  await createApp(store.db, 'shop')
  const { chain } = exampleOrder().order.source
  const revertFor = async (payer: string | null, grant: (orderId: string) => Promise<unknown>) => {
    const { terms } = exampleOrder().order.source
    const { order } = await putOrder(store.db, { app: 'shop', source: { payer, terms: { ...terms, initiator: 'alice' } } })
    await grant(order.id)
    await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'initiate' }])
    const leased = await leaseAction(store.db, 'engine', 60)
    if (leased?.orderId !== order.id) throw new Error('another action is due')
    const attempt = { raw: 'raw', slots: [], feeRate: 1n, at: NOW, chain, sender: 'relay', holdsSecret: false }
    await recordAttempt(store.db, [leased], { ...attempt, tx: order.id })
    await noteReverted(store.db, [leased.key], order.id)
  }
  await revertFor('mallory', (id) => addGrant(store.db, id, prefundedGrant(NOW)))
  expect(await readRevertedRelays(store.db, chain, 'alice')).toEqual([])
  expect(await readRevertedRelays(store.db, chain, 'mallory')).toHaveLength(1)
  await revertFor(null, (id) => addGrant(store.db, id, prefundedGrant(NOW)))
  expect(await readRevertedRelays(store.db, chain, 'alice')).toHaveLength(1)
  await revertFor('mallory', (id) =>
    addSponsoredInitiate(store.db, id, 'signed', { app: 'shop', perDay: null, spendable: null, limits: relayLimits.byKey }),
  )
  expect(await readRevertedRelays(store.db, chain, 'alice')).toHaveLength(2)
  expect(await readRevertedRelays(store.db, chain, 'mallory')).toHaveLength(1)
  await store.close()
})
