import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readAttempts } from '../store/actions/actions.ts'
import { findOrder } from '../store/orders/orders.ts'
import { openTestStore, type TestStore } from '../store/store.fixture.ts'
import { openScene, type Scene } from './engine.fixture.ts'
import { executeAction } from './executor.ts'

let store: TestStore
let scene: Scene
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  scene = await openScene(store)
})

const signed = async () => (await findOrder(store.db, scene.order.id))?.secretSigned
const expireLeases = () => sql`update actions set lease_until = now() - interval '1 second'`.execute(store.db)

describe('the solver redeems', () => {
  const execute = async () => executeAction(scene.context('solver'), await scene.lease('source', 'redeem'))

  test('with the secret that the destination showed', async () => {
    await scene.fund('source', 'destination')
    scene.ethereum.mempool = [scene.events('destination').redeem]
    expect(await execute()).toMatchObject({ kind: 'sent' })
    expect(scene.bitcoin.orders[0]?.spend).toMatchObject({ secret: scene.secret })
    expect(await signed()).toBe(false)
  })

  describe('when it becomes cheaper by waiting', () => {
    beforeEach(async () => {
      await scene.fund('source', 'destination')
      scene.ethereum.mempool = [scene.events('destination').redeem]
    })
    const executeWith = async (patienceMs: number) => {
      const context = scene.context('solver')
      const party = { ...context.party, patienceMs: async () => patienceMs }
      await expireLeases()
      return executeAction({ ...context, party }, await scene.lease('source', 'redeem'))
    }

    test.each([
      { patienceMs: 5_000, againInMs: 5_000 },
      { patienceMs: 3_600_000, againInMs: 15_000 },
    ])('not yet, and it signs nothing: $patienceMs ms', async ({ patienceMs, againInMs }) => {
      expect(await executeWith(patienceMs)).toEqual({ kind: 'skipped', againInMs })
      expect(scene.bitcoin.asked).not.toContain('redeem')
      expect(await readAttempts(store.db, `${scene.order.id}/source/redeem`)).toEqual([])
    })

    test.each([0, -1])('at once when there is nothing to wait for: %i ms', async (patienceMs) => {
      expect(await executeWith(patienceMs)).toMatchObject({ kind: 'sent', tx: 'redeem 1' })
    })

    test('no more once anything is signed', async () => {
      await executeWith(0)
      expect(await executeWith(3_600_000)).toMatchObject({ kind: 'sent', tx: 'redeem 2' })
    })
  })

  test('not with something else', async () => {
    await scene.fund('source', 'destination')
    scene.ethereum.mempool = [{ ...scene.events('destination').redeem, kind: 'redeemed', secret: '00'.repeat(32) }]
    await expect(execute()).rejects.toThrow('what was seen is not its secret')
    expect(scene.bitcoin.asked).not.toContain('redeem')
  })
})
