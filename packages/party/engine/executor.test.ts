/** Tests what the executor checks before it signs, and what it records. */

import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { prefundedGrant, signedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type LeasedAction, leaseAction, syncWanted } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import { finishAction } from '../store/actions/finish-action.ts'
import { noteReverted } from '../store/actions/reverted-relays.ts'
import { addGrant } from '../store/orders/grants.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { commitTo, isCommittedTo } from '../store/solver/commitments.ts'
import { NOW, putOrder, recordAttempt, sightingsOf } from '../store/store.fixture.ts'
import { type EngineFixture, ORDER_KEY, openEngineFixture } from './engine.fixture.ts'
import { backoffMs, executeAction } from './executor.ts'
import { createLeases } from './leases.ts'

const store = sharedStore()
let fixture: EngineFixture
beforeEach(async () => {
  fixture = await openEngineFixture(store)
})
afterEach(() => vi.restoreAllMocks())

const signed = async () => (await findOrder(store.db, fixture.order.id))?.secretSigned
const expireLeases = () => sql`update actions set lease_until = now() - interval '1 second'`.execute(store.db)
const fail = (kind: 'unreachable' | 'would-fail' | 'superseded') => () => {
  throw new ChainFailure(kind, `it is ${kind}`)
}

function purposeOf(leg: Leg, verb: SignedVerb): Purpose {
  const { chain, terms } = fixture.order[leg]
  return orderPurpose(chain, { order: fixture.order.id, leg, verb, terms })
}

describe('the solver initiates', () => {
  const execute = async () => executeAction(fixture.context('solver'), await fixture.lease('destination', 'initiate'))

  test('after recording its commitment, and returns when to check again', async () => {
    await fixture.fund('source')
    let committed: boolean | null = null
    fixture.ethereum.before.initiate = async () => {
      committed = await isCommittedTo(store.other, fixture.order.id, 'locked')
    }
    expect(await execute()).toEqual({ kind: 'sent', tx: 'initiate 1', againInMs: 1000 })
    expect(committed).toBe(true)
    expect(fixture.ethereum.broadcast).toEqual(['initiate 1'])
  })

  test('not without a deposit, and records no commitment', async () => {
    await fixture.watch()
    expect(await execute()).toEqual({ kind: 'skipped', againInMs: 1000 })
    expect(fixture.ethereum.asked).not.toContain('initiate')
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(false)
  })

  test('not when the destination is mined and the watcher has not seen it yet', async () => {
    await fixture.fund('source')
    fixture.ethereum.mine(fixture.events('destination').deposit)
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.asked).not.toContain('initiate')
  })

  test('not when a reorg removed the deposit', async () => {
    await fixture.fund('source')
    fixture.bitcoin.drop(1)
    fixture.bitcoin.grow(2)
    expect(await execute()).toMatchObject({ kind: 'failed', error: expect.stringContaining('reorganising') })
    expect(fixture.ethereum.asked).not.toContain('initiate')
  })

  test('not after it has signed a refund of the source', async () => {
    await fixture.fund('source')
    await commitTo(store.db, fixture.order.id, 'refund_signed')
    expect(await execute()).toMatchObject({ kind: 'failed', error: expect.stringContaining('refund of the source is signed') })
    expect(fixture.ethereum.asked).not.toContain('initiate')
  })

  test('not a second time when the first attempt is not recorded', async () => {
    await fixture.fund('source')
    fixture.ethereum.mempool = [fixture.events('destination').deposit]
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.asked).not.toContain('initiate')
  })

  test('with its earlier attempts of this and of other actions', async () => {
    await fixture.fund('source')
    const { order: other } = await putOrder(store.db)
    const first = await fixture.lease('destination', 'initiate')
    await executeAction(fixture.context('solver'), first)
    await expireLeases()
    await executeAction(fixture.context('solver'), await fixture.lease('destination', 'initiate'))
    const [one, two] = fixture.ethereum.orders
    expect(one?.outbox.attempts).toEqual([])
    expect(two?.outbox.attempts.map(({ tx, at }) => [tx, at])).toEqual([['initiate 1', NOW]])
    expect(two?.others).toEqual([])
    expect(two?.outbox.secondsLeft).toBe(88n)
    await syncWanted(store.db, [other.id], [{ orderId: other.id, leg: 'destination', verb: 'initiate' }])
    await store.db
      .updateTable('attempts')
      .set({ action_key: `${other.id}/destination/initiate` })
      .execute()
    await expireLeases()
    await executeAction(fixture.context('solver'), await fixture.lease('destination', 'initiate'))
    expect(fixture.ethereum.orders[2]?.outbox.attempts).toEqual([])
    expect(fixture.ethereum.orders[2]?.others).toHaveLength(2)
  })

  test('on facts that are read again after a long wait for the key', async () => {
    await fixture.fund('source')
    const context = fixture.context('solver')
    const { party } = context
    const clock = vi.spyOn(performance, 'now')
    const slow: typeof party = {
      ...party,
      async keyFor(step) {
        // Simulates a long wait for the key, during which the destination is initiated.
        fixture.ethereum.mine(fixture.events('destination').deposit)
        clock.mockReturnValue(1_000_000_000)
        return party.keyFor(step)
      },
    }
    clock.mockReturnValue(0)
    expect(await executeAction({ ...context, party: slow }, await fixture.lease('destination', 'initiate'))).toMatchObject({
      kind: 'skipped',
    })
    expect(fixture.ethereum.broadcast).toEqual([])
  })
})

describe('a slow node while the key is held', () => {
  let clock: { mockReturnValue(now: number): unknown }
  beforeEach(async () => {
    await fixture.fund('source')
    clock = vi.spyOn(performance, 'now')
    clock.mockReturnValue(0)
  })
  const execute = async () => executeAction(fixture.context('solver'), await fixture.lease('destination', 'initiate'))

  test('the facts are read again before the signature is recorded', async () => {
    fixture.ethereum.before.sign = () => {
      fixture.ethereum.mine(fixture.events('destination').deposit)
      clock.mockReturnValue(2_000)
    }
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(await store.db.selectFrom('attempts').selectAll().execute()).toEqual([])
    expect(fixture.ethereum.broadcast).toEqual([])
  })

  test('it is recorded if the action is still wanted', async () => {
    fixture.ethereum.before.sign = () => void clock.mockReturnValue(60_000)
    expect(await execute()).toMatchObject({ kind: 'sent' })
  })

  test('it is not recorded if the node takes longer to read them again than half of what the margins leave for an action', async () => {
    let now = 0
    fixture.ethereum.before.sign = () => {
      for (const chain of [fixture.bitcoin, fixture.ethereum])
        chain.before.headers = () => {
          now += 15_000
          clock.mockReturnValue(now)
        }
      clock.mockReturnValue(2_000)
    }
    expect(await execute()).toMatchObject({ kind: 'failed', error: expect.stringContaining('too slowly') })
    expect(fixture.ethereum.broadcast).toEqual([])
  })
})

describe('nodes that take long for every answer', () => {
  const questions = ['tip', 'headers', 'events', 'unconfirmedEvents', 'initiate', 'sign', 'broadcast'] as const

  // The margins of the local chains leave 15 s for facts. With three seconds an answer, facts are read once more.
  test.each([
    { answerMs: 700, readings: 1 },
    { answerMs: 1_000, readings: 1 },
    { answerMs: 3_000, readings: 2 },
  ])('$answerMs ms: the action is done, and the chains are read $readings times', async ({ answerMs, readings }) => {
    await fixture.fund('source')
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    for (const question of questions)
      fixture.ethereum.before[question] = () => {
        now += answerMs
      }
    const context = { ...fixture.context('solver'), leases: createLeases(store.db, 'engine', 60, () => 0) }
    const before = fixture.ethereum.asked.length
    expect(await executeAction(context, await fixture.lease('destination', 'initiate'))).toMatchObject({ kind: 'sent' })
    const asked = fixture.ethereum.asked.slice(before).map((text) => text.split(' ')[0])
    expect(asked.filter((question) => question === 'tip')).toHaveLength(readings)
    expect(asked.filter((question) => question === 'broadcast')).toHaveLength(1)
  })
})

describe('a chain failure', () => {
  const execute = async () => executeAction(fixture.context('solver'), await fixture.lease('destination', 'initiate'))
  beforeEach(() => fixture.fund('source'))

  test.each(['unreachable', 'would-fail'] as const)('%s: retried later', async (kind) => {
    fixture.ethereum.before.initiate = fail(kind)
    expect(await execute()).toEqual({ kind: 'failed', error: `it is ${kind}`, againInMs: 500 })
  })

  test('would-fail with a retry time: not retried earlier, with a reason for the user', async () => {
    const reason = { revertedTx: 'dead', refusal: 'it fails each time' }
    fixture.ethereum.before.initiate = () => {
      throw new ChainFailure('would-fail', 'again', { ...reason, retryAfterMs: 3_600_000 })
    }
    expect(await execute()).toEqual({ kind: 'failed', error: 'again', againInMs: 3_600_000, ...reason })
  })

  test('an expected wait is no failure: it does not make the backoff of a later one longer', async () => {
    fixture.ethereum.before.initiate = () => {
      throw new ChainFailure('would-fail', 'on its way', { retryAfterMs: 0, isExpected: true })
    }
    const { leases } = fixture.context('solver')
    for (let waits = 0; waits < 5; waits += 1) {
      const action = await fixture.lease('destination', 'initiate')
      const result = await executeAction(fixture.context('solver'), action)
      expect(result).toEqual({ kind: 'failed', error: 'on its way', againInMs: 0, isExpected: true })
      await leases.finish(action, result)
    }
    fixture.ethereum.before.initiate = fail('would-fail')
    expect(await execute()).toMatchObject({ kind: 'failed', againInMs: 500 })
  })

  test('with a transaction that expired: nobody waits for it any more', async () => {
    fixture.ethereum.before.initiate = () => {
      throw new ChainFailure('would-fail', 'sign again', { expiredTx: 'old' })
    }
    expect(await execute()).toMatchObject({ kind: 'failed', revertedTx: 'old' })
  })

  test('superseded: checked again later', async () => {
    fixture.ethereum.before.initiate = fail('superseded')
    expect(await execute()).toEqual({ kind: 'skipped', againInMs: 1000 })
  })

  test('any other error is a bug and is thrown', async () => {
    fixture.ethereum.before.initiate = () => {
      throw new TypeError('a bug')
    }
    await expect(execute()).rejects.toThrow('a bug')
  })

  test('backoff doubles up to a limit', () => {
    expect([0, 1, 2, 5, 6, 7, 1000].map(backoffMs)).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000, 30_000])
  })
})

describe('a holder that lost its lease', () => {
  test.each(['expired', 'taken over'])('broadcasts nothing: %s', async (how) => {
    await fixture.fund('source')
    const leased = await fixture.lease('destination', 'initiate')
    fixture.ethereum.before.initiate = async () => {
      await expireLeases()
      if (how === 'taken over') await leaseAction(store.db, 'another engine', 60)
    }
    expect(await executeAction(fixture.context('solver'), leased)).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.broadcast).toEqual([])
    expect(await readAttempts(store.db, leased.key)).toEqual([])
  })
})

describe('several actions of one key', () => {
  const together = async (count: number, leased: LeasedAction) =>
    Promise.all(Array.from({ length: count }, () => executeAction(fixture.context('solver'), leased)))
  const barrier = (count: number) => {
    let arrived = 0
    const { opened, open } = gate()
    return () => {
      arrived += 1
      if (arrived === count) open()
      return opened
    }
  }

  test('sign one at a time', async () => {
    await fixture.fund('source')
    const leased = await fixture.lease('destination', 'initiate')
    let inside = 0
    fixture.ethereum.before.sign = async () => {
      inside += 1
      expect(inside).toBe(1)
      await sql`select 1`.execute(store.db)
    }
    fixture.ethereum.before.signed = () => {
      inside -= 1
    }
    await together(4, leased)
    expect(fixture.ethereum.broadcast).toHaveLength(4)
  })

  test('prepare and broadcast at the same time', async () => {
    await fixture.fund('source')
    const leased = await fixture.lease('destination', 'initiate')
    fixture.ethereum.before.initiate = barrier(4)
    fixture.ethereum.before.broadcast = barrier(4)
    await together(4, leased)
    expect(fixture.ethereum.broadcast).toHaveLength(4)
  })
})

describe('the service redeems', () => {
  const execute = async () => executeAction(fixture.context('service'), await fixture.lease('destination', 'redeem'))

  test('and records the signed secret before any node sees it', async () => {
    await fixture.fund('source', 'destination')
    const seen: unknown[] = []
    fixture.ethereum.before.redeem = async () => void seen.push(await signed())
    fixture.ethereum.before.broadcast = async () => void seen.push((await findOrder(store.other, fixture.order.id))?.secretSigned)
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 1' })
    expect(seen).toEqual([false, true])
    const { spend, outbox } = fixture.ethereum.orders[0] ?? {}
    expect(spend).toMatchObject({ deposits: [{ id: `deposit of ${fixture.order.destination.swapId}` }], to: null, secret: fixture.secret })
    expect(outbox?.secondsLeft).toBe(180n)
  })

  test('not to a recipient that cannot be paid, and does not sign the secret', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.verifyPayout = fail('would-fail')
    expect(await execute()).toMatchObject({ kind: 'failed', error: 'it is would-fail' })
    expect(fixture.ethereum.asked).not.toContain('redeem')
    expect(await signed()).toBe(false)
  })

  test('not when its transaction cannot be built, and does not sign the secret', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.redeem = fail('would-fail')
    expect(await execute()).toMatchObject({ kind: 'failed' })
    expect(await signed()).toBe(false)
  })

  test('not when the lease is lost before recording, and does not sign the secret', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.redeem = expireLeases
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.broadcast).toEqual([])
    expect(await signed()).toBe(false)
  })

  test('not when the source is refunded', async () => {
    await fixture.fund('source', 'destination')
    fixture.bitcoin.mine(fixture.events('source').refund)
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.asked).not.toContain('redeem')
    expect(await signed()).toBe(false)
  })

  describe('again, once the secret is out', () => {
    beforeEach(async () => {
      await fixture.fund('source', 'destination')
      const leased = await fixture.lease('destination', 'redeem')
      await finishAction(store.db, leased, { ...(await executeAction(fixture.context('service'), leased)), againInMs: 0 } as Parameters<
        typeof finishAction
      >[2])
      fixture.ethereum.asked.length = 0
    })

    test('without checking the payout', async () => {
      fixture.ethereum.before.verifyPayout = fail('would-fail')
      expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 2' })
    })

    test('although the other chain is unreachable', async () => {
      fixture.bitcoin.before.tip = fail('unreachable')
      expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 2' })
    })

    test('although its own chain is unreachable', async () => {
      fixture.ethereum.before.tip = fail('unreachable')
      expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 2' })
    })

    test('although its own chain has a reorg that the watcher has not seen', async () => {
      fixture.ethereum.drop(1)
      fixture.ethereum.grow(2)
      expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 2' })
    })
  })

  test('with gas for the recipient, alone, until that has failed often: the payout matters more', async () => {
    fixture = await openEngineFixture(store, { destination: { chain: 'ethereum_localnet', gas: 9n } })
    const batchRedeem = { areRedeemable: vi.fn(), redeem: vi.fn() }
    Object.assign(fixture.ethereum, { batchRedeem })
    await fixture.fund('source', 'destination')
    const leased = await fixture.lease('destination', 'redeem')
    const given = async (failures: number) => {
      fixture.ethereum.orders.length = 0
      expect(await executeAction(fixture.context('service'), { ...leased, failures })).toMatchObject({ kind: 'sent' })
      return fixture.ethereum.orders[0]?.spend?.gas
    }
    // Each call adds an attempt, which counts as a failure too: it may have reverted.
    expect([await given(0), await given(1), await given(0), await given(0)]).toEqual([9n, 9n, 9n, undefined])
    const noted = await store.db
      .selectFrom('attempts')
      .select('offers_gas')
      .where('action_key', '=', leased.key)
      .orderBy('number')
      .execute()
    expect(noted.map(({ offers_gas }) => offers_gas)).toEqual([true, true, true, false])
    await store.db.deleteFrom('attempts').execute()
    expect([await given(2), await given(2)]).toEqual([9n, undefined])
    expect(batchRedeem.redeem).not.toHaveBeenCalled()
  })

  test('without gas if too little would be left for the fees of all open payouts, beside the gas that is given already', async () => {
    fixture = await openEngineFixture(store, { destination: { chain: 'ethereum_localnet', gas: 1_000n } })
    await fixture.fund('source', 'destination')
    const { order: other } = await putOrder(store.db, { destination: { chain: 'ethereum_localnet', gas: 500n } })
    fixture.bitcoin.mine(sightingsOf(other.source.swapId).initiated(other.source.terms.amount))
    await fixture.watch()
    const world = { balance: 0n }
    const legCost = async () => ({ decimals: 18, initiate: 100n, redeem: 10n, refund: 10n, kept: 7n })
    Object.assign(fixture.ethereum, { legCost, balance: async () => world.balance })
    const leased = await fixture.lease('destination', 'redeem')
    const givenWith = async (balance: bigint) => {
      world.balance = balance
      await store.db.deleteFrom('attempts').where('action_key', '=', leased.key).execute()
      fixture.ethereum.orders.length = 0
      expect(await executeAction(fixture.context('service'), leased)).toMatchObject({ kind: 'sent' })
      return fixture.ethereum.orders[0]?.spend?.gas
    }
    // The account keeps 7, and each of two payouts takes up to 4 × 10.
    expect(await givenWith(1_086n)).toBeUndefined()
    expect(await givenWith(1_087n)).toBe(1_000n)
    // Another engine has begun the other one.
    await syncWanted(store.db, [other.id], [{ orderId: other.id, leg: 'destination', verb: 'redeem' }])
    expect(await leaseAction(store.db, 'another', 60)).toMatchObject({ orderId: other.id })
    expect(await givenWith(1_586n)).toBeUndefined()
    expect(await givenWith(1_587n)).toBe(1_000n)
    await store.db
      .updateTable('attempts')
      .set({ action_key: `${other.id}/destination/redeem` })
      .execute()
    await store.db.updateTable('actions').set({ lease_until: null }).where('order_id', '=', other.id).execute()
    expect(await givenWith(1_586n)).toBeUndefined()
    expect(await givenWith(1_587n)).toBe(1_000n)
  })

  test("with the order key, to the user's address, where the service acts for the user", async () => {
    fixture = await openEngineFixture(store, {
      source: { chain: 'ethereum_localnet' },
      destination: { chain: 'bitcoin_regtest', userAddress: 'where the user wants it' },
    })
    await fixture.fund('source', 'destination')
    expect(await execute()).toMatchObject({ kind: 'sent' })
    const { spend, signer } = fixture.bitcoin.orders[0] ?? {}
    expect(spend?.to).toBe('where the user wants it')
    expect(signer?.publicKey).toEqual(createSecp256k1Key(ORDER_KEY).publicKey)
    expect(signer?.purpose).toMatchObject({ ...purposeOf('destination', 'redeem'), actions: [{ to: 'where the user wants it' }] })
  })
})

describe('refunds and relays', () => {
  test('a refund takes expired deposits, with the time left to redeem the source as its deadline', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.grow(100)
    await fixture.watch()
    expect(await executeAction(fixture.context('solver'), await fixture.lease('destination', 'refund'))).toMatchObject({ kind: 'sent' })
    expect(fixture.ethereum.orders[0]?.spend?.deposits).toHaveLength(1)
    expect(fixture.ethereum.orders[0]?.outbox.secondsLeft).toBe(398n)
    expect(fixture.ethereum.orders[0]?.signer?.purpose).toEqual(purposeOf('destination', 'refund'))
  })

  test('a granted initiation is relayed before the deadline, and not without a grant', async () => {
    fixture = await openEngineFixture(store, { source: { chain: 'ethereum_localnet' }, destination: { chain: 'bitcoin_regtest' } })
    await fixture.watch()
    const leased = await fixture.lease('source', 'initiate')
    expect(await executeAction(fixture.context('service'), leased)).toMatchObject({ kind: 'skipped' })
    await addGrant(store.db, fixture.order.id, signedGrant('signature'))
    expect(await executeAction(fixture.context('service'), leased)).toMatchObject({ kind: 'sent', tx: 'initiate 1' })
    expect(fixture.ethereum.orders[0]?.outbox.secondsLeft).toBe(3600n)
    expect(fixture.ethereum.orders[0]?.signer?.purpose).toEqual(purposeOf('source', 'relay'))
  })

  test('the user learns why a relay would fail, if they can fix it', async () => {
    fixture = await openEngineFixture(store, { source: { chain: 'ethereum_localnet' }, destination: { chain: 'bitcoin_regtest' } })
    await fixture.watch()
    await addGrant(store.db, fixture.order.id, signedGrant('forged'))
    fixture.ethereum.before.initiate = fail('would-fail')
    const leased = await fixture.lease('source', 'initiate')
    const refusal = "the signature is not the initiator's"
    expect(await executeAction(fixture.context('service'), leased)).toMatchObject({ kind: 'failed', error: 'it is would-fail', refusal })
    fixture.ethereum.before.initiate = fail('unreachable')
    expect(await executeAction(fixture.context('service'), leased)).not.toHaveProperty('refusal')
    // This failure is expected, and nobody has to act on it.
    fixture.ethereum.before.initiate = async () => {
      throw new ChainFailure('would-fail', 'it is on its way', { isExpected: true, retryAfterMs: 500 })
    }
    const waiting = await executeAction(fixture.context('service'), leased)
    expect(waiting).toEqual({ kind: 'failed', error: 'it is on its way', againInMs: 500, isExpected: true })
  })

  test('a prefunded order is initiated without a signature, and no signature is blamed for a failure', async () => {
    fixture = await openEngineFixture(store, {
      source: { chain: 'ethereum_localnet', payer: 'mallory' },
      destination: { chain: 'bitcoin_regtest' },
    })
    await fixture.watch()
    const { deadline, source } = fixture.order
    const swaps: PrefundedSwap[] = []
    const counted: (number | undefined)[] = []
    let failure: ChainFailure | null = new ChainFailure('would-fail', 'too little is there')
    const prefund = {
      async initiate(swap: PrefundedSwap, outbox: Outbox) {
        swaps.push(swap)
        if (failure !== null) throw failure
        counted.push(outbox.revertedRelays)
        await outbox.withKey(({ record }) => record({ tx: 'prefunded', raw: '0x', slots: [], feeRate: 1n }))
        return 'prefunded'
      },
    }
    Object.assign(fixture.ethereum, { prefund })
    await addGrant(store.db, fixture.order.id, prefundedGrant(deadline))
    const leased = await fixture.lease('source', 'initiate')
    const refused = await executeAction(fixture.context('service'), leased)
    expect(refused).toMatchObject({ kind: 'failed', error: 'too little is there' })
    expect(refused).not.toHaveProperty('refusal')
    failure = null
    expect(await executeAction(fixture.context('service'), leased)).toMatchObject({ kind: 'sent', tx: 'prefunded' })
    // It counts against the payer, not against the initiator of the order.
    await noteReverted(store.db, [leased.key], 'prefunded')
    await executeAction(fixture.context('service'), leased)
    expect(counted).toEqual([0, 1])
    expect(swaps).toEqual(Array.from({ length: 3 }, () => ({ terms: source.terms, deadline, payer: 'mallory' })))
    expect(fixture.ethereum.asked).not.toContain('initiate')
  })

  test('money at a deposit address is initiated, however often signatures of the same initiator reverted', async () => {
    fixture = await openEngineFixture(store, {
      source: { chain: 'ethereum_localnet', depositAddress: '0x12' },
      destination: { chain: 'bitcoin_regtest' },
    })
    await fixture.watch()
    const { order: other } = await putOrder(store.db, { source: { chain: 'ethereum_localnet' } })
    expect(other.source.terms.initiator).toBe(fixture.order.source.terms.initiator)
    await addGrant(store.db, other.id, signedGrant('0x12'))
    await syncWanted(store.db, [other.id], [{ orderId: other.id, leg: 'source', verb: 'initiate' }])
    const reverting = await leaseAction(store.db, 'engine', 60)
    if (reverting?.orderId !== other.id) throw new Error('another action is due')
    const attempt = { tx: 'r', raw: '0x', slots: [], feeRate: 1n, at: NOW, chain: 'ethereum_localnet', sender: 'relay', holdsSecret: false }
    await recordAttempt(store.db, [reverting], attempt)
    await noteReverted(store.db, [reverting.key], 'r')
    const counted: (number | undefined)[] = []
    const prefund = {
      async initiate(_: PrefundedSwap, outbox: Outbox) {
        counted.push(outbox.revertedRelays)
        return 'prefunded'
      },
    }
    Object.assign(fixture.ethereum, { prefund })
    await addGrant(store.db, fixture.order.id, prefundedGrant(fixture.order.deadline))
    await executeAction(fixture.context('service'), await fixture.lease('source', 'initiate'))
    expect(counted).toEqual([0])
  })
})

describe('an initiation that is no longer wanted', () => {
  async function abandon() {
    await fixture.fund('source')
    const leased = await fixture.lease('destination', 'initiate')
    await executeAction(fixture.context('solver'), leased)
    await finishAction(store.db, leased, { kind: 'sent', tx: 'initiate 1', againInMs: 0 })
    fixture.bitcoin.mine(fixture.events('source').refund)
    await fixture.watch()
    await syncWanted(store.db, [fixture.order.id], [])
    const again = await leaseAction(store.db, 'engine', 60)
    if (again === null) throw new Error('nothing is cancelled')
    return again
  }

  test('is cancelled while it is unmined', async () => {
    expect(await executeAction(fixture.context('solver'), await abandon())).toEqual({ kind: 'cancelling', tx: 'cancel 2', againInMs: 1000 })
    expect(fixture.ethereum.broadcast).toEqual(['initiate 1', 'cancel 2'])
    const purposes = fixture.ethereum.orders.map(({ signer }) => signer?.purpose)
    const { chain, terms } = fixture.order.source
    const deposits = [{ id: expect.any(String), height: expect.any(BigInt) }]
    expect(purposes).toMatchObject([
      { ...purposeOf('destination', 'initiate'), actions: [{ verb: 'initiate', paidBy: { chain, terms, deposits } }] },
      purposeOf('destination', 'cancel'),
    ])
  })

  test('is left alone when no attempt can be mined any more', async () => {
    const action = await abandon()
    fixture.ethereum.cancel = async () => null
    expect(await executeAction(fixture.context('solver'), action)).toEqual({ kind: 'cancelled' })
  })

  test('is left alone once it is mined', async () => {
    const action = await abandon()
    fixture.ethereum.mine(fixture.events('destination').deposit)
    expect(await executeAction(fixture.context('solver'), action)).toEqual({ kind: 'cancelled' })
    expect(fixture.ethereum.asked).not.toContain('cancel')
  })

  test('is retried when the chain does not answer', async () => {
    const action = await abandon()
    fixture.ethereum.before.cancel = fail('unreachable')
    expect(await executeAction(fixture.context('solver'), action)).toMatchObject({ kind: 'failed' })
  })
})

test('an action without an order throws', async () => {
  const leased = await fixture.lease('destination', 'initiate')
  await expect(executeAction(fixture.context('solver'), { ...leased, orderId: 'unknown' })).rejects.toThrow('belongs to no order')
})
