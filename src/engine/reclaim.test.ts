/** What lies at an order's own address is brought back by the engine, beside all that the playbook wants. */
import { expect, test } from 'vitest'
import type { DepositSwap } from '../chains/port/abilities/prefund.ts'
import type { Outbox } from '../chains/port/outbox.ts'
import { orderPurpose } from '../keys/purpose.ts'
import { finishAction, leaseAction, syncWanted } from '../store/actions/actions.ts'
import { wantReclaim } from '../store/actions/reclaims.ts'
import { openTestStore } from '../store/store.fixture.ts'
import { openScene } from './engine.fixture.ts'
import { executeAction } from './executor.ts'

test("what lies at an order's own address goes back, whatever else is wanted, until nothing is there", async () => {
  const store = await openTestStore()
  const scene = await openScene(store, { source: { chain: 'ethereum_localnet' }, destination: { chain: 'bitcoin_regtest' } })
  await scene.watch()
  const asked: DepositSwap[] = []
  let isThere = true
  const deposits = {
    async reclaim(swap: DepositSwap, outbox: Outbox) {
      asked.push(swap)
      expect([outbox.secondsLeft, outbox.attempts.length]).toEqual([null, asked.length - 1])
      const { id, source } = scene.order
      expect(outbox.signer.purpose).toEqual(orderPurpose(source.chain, { order: id, leg: 'source', verb: 'reclaim', terms: source.terms }))
      if (!isThere) return null
      await outbox.record({ tx: 'back', raw: '0x', slots: [], feeRate: 1n })
      return 'back'
    },
  }
  Object.assign(scene.ethereum, { prefund: deposits })
  await wantReclaim(store.db, scene.order.id)
  // No rule of the playbook wants it, nor can one drop it.
  await syncWanted(store.db, [scene.order.id], [])
  const execute = async () => {
    const leased = await leaseAction(store.db, 'engine', 60)
    if (leased === null) return null
    const result = await executeAction(scene.context('service'), leased)
    await finishAction(store.db, leased, result.kind === 'sent' ? { ...result, againInMs: 0 } : result)
    return result
  }
  expect(await execute()).toMatchObject({ kind: 'sent', tx: 'back' })
  isThere = false
  expect(await execute()).toEqual({ kind: 'finished' })
  expect(await execute()).toBeNull()
  const { deadline, source } = scene.order
  expect(asked).toEqual([
    { terms: source.terms, deadline },
    { terms: source.terms, deadline },
  ])
  await store.close()
})
