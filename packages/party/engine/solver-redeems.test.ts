/** Tests when the solver redeems with a secret that was shown. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { readAttempts } from '../store/actions/attempts.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { freshEngine } from './engine.fixture.ts'
import { executeAction } from './executor.ts'

const store = sharedStore()
const fixture = freshEngine(store)

const signed = async () => (await findOrder(store.db, fixture.order.id))?.secretSigned
const expireLeases = () => sql`update actions set lease_until = now() - interval '1 second'`.execute(store.db)

describe('the solver redeems', () => {
  const execute = async () => executeAction(fixture.context('solver'), await fixture.lease('source', 'redeem'))

  test('with the secret that the destination showed', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.mempool = [fixture.events('destination').redeem]
    expect(await execute()).toMatchObject({ kind: 'sent' })
    expect(fixture.bitcoin.orders[0]?.spend).toMatchObject({ secret: fixture.secret })
    expect(await signed()).toBe(false)
  })

  describe('when waiting makes it cheaper', () => {
    beforeEach(async () => {
      await fixture.fund('source', 'destination')
      fixture.ethereum.mempool = [fixture.events('destination').redeem]
    })
    const executeWith = async (waitMs: number) => {
      const context = fixture.context('solver')
      const party = { ...context.party, waitMs: async () => waitMs }
      await expireLeases()
      return executeAction({ ...context, party }, await fixture.lease('source', 'redeem'))
    }

    test.each([
      { waitMs: 5_000, againInMs: 5_000 },
      { waitMs: 3_600_000, againInMs: 15_000 },
    ])('later, and signs nothing yet: $waitMs ms', async ({ waitMs, againInMs }) => {
      expect(await executeWith(waitMs)).toEqual({ kind: 'skipped', againInMs })
      expect(fixture.bitcoin.asked).not.toContain('redeem')
      expect(await readAttempts(store.db, `${fixture.order.id}/source/redeem`)).toEqual([])
    })

    test.each([0, -1])('at once when there is nothing to wait for: %i ms', async (waitMs) => {
      expect(await executeWith(waitMs)).toMatchObject({ kind: 'sent', tx: 'redeem 1' })
    })

    test('without waiting once an attempt is signed', async () => {
      await executeWith(0)
      expect(await executeWith(3_600_000)).toMatchObject({ kind: 'sent', tx: 'redeem 2' })
    })
  })

  test('not with a wrong secret', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.mempool = [{ ...fixture.events('destination').redeem, kind: 'redeemed', secret: '00'.repeat(32) }]
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.bitcoin.asked).not.toContain('redeem')
  })
})
