// Tests grants after the order was made: the client's secret, and an instant refund that the solver signed.

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { readAttempts } from '../store/actions/attempts.ts'
import { finishAction } from '../store/actions/finish-action.ts'
import { addGrant, addInstantRefunds } from '../store/orders/grants.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, storedOrder, VAULT_KEY } from '../store/store.fixture.ts'
import { type EngineFixture, ORDER_KEY, openEngineFixture, RELAY_KEY, registry } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { reconcile } from './reconciler.ts'

const store = sharedStore()
let fixture: EngineFixture

const wanted = async () => {
  await reconcile({ db: store.db, registry, party: { role: 'service' } }, NOW)
  const rows = await store.db.selectFrom('actions').select(['leg', 'verb']).where('wanted', '=', true).execute()
  return rows.map(({ leg, verb }) => `${verb} ${leg}`).toSorted()
}
const stored = () => storedOrder(store.db, fixture.order.id)

describe('a secret that the client keeps', () => {
  beforeEach(async () => {
    fixture = await openEngineFixture(store, { clientSecret: true })
    await store.db.deleteFrom('sealed_values').where('purpose', '=', 'secret').execute()
    await fixture.fund('source', 'destination')
  })
  const execute = async () => executeAction(fixture.context('service'), await fixture.lease('destination', 'redeem'))
  const grant = async (secret = fixture.secret) => {
    await createVault(VAULT_KEY).put(store.db, fixture.order.id, 'secret', secret)
    await addGrant(store.db, fixture.order.id, { kind: 'redeem', leg: 'destination' })
  }

  test('is missing: no redeem is wanted or sent', async () => {
    expect(await wanted()).toEqual([])
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.asked).not.toContain('redeem')
    expect((await stored()).secretSigned).toBe(false)
  })

  test('redeems once it is given, signed and shown like any other', async () => {
    await grant()
    expect(await wanted()).toEqual(['redeem destination'])
    const seen: unknown[] = []
    fixture.ethereum.before.redeem = async () => void seen.push((await stored()).secretSigned)
    fixture.ethereum.before.broadcast = async () => void seen.push((await stored()).secretSigned)
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 1' })
    expect(seen).toEqual([false, true])
    expect(fixture.ethereum.orders[0]?.spend).toMatchObject({ secret: fixture.secret })
    expect((await stored()).secretShown).toBe(true)
  })

  test('is not used when the time to reveal ends before it can be sent', async () => {
    await grant()
    fixture.ethereum.grow(100)
    await fixture.watch()
    expect(await wanted()).toEqual([])
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect((await stored()).secretSigned).toBe(false)
  })

  test('that does not match is never shown', async () => {
    await grant(createSecret())
    await expect(execute()).rejects.toThrow('missing or does not match')
    expect(fixture.ethereum.asked).not.toContain('redeem')
    expect((await stored()).secretSigned).toBe(false)
  })

  test('that is public is used without being given', async () => {
    fixture.bitcoin.mempool = [fixture.events('source').redeem]
    await fixture.watch()
    expect(await wanted()).toEqual(['redeem destination'])
    expect(await execute()).toMatchObject({ kind: 'sent' })
  })
})

describe('a deposit with a signed instant refund', () => {
  beforeEach(async () => {
    fixture = await openEngineFixture(store, { source: { userAddress: 'where the user wants it back' } })
  })
  const depositId = () => `deposit of ${fixture.order.source.swapId}`
  const agree = (...deposits: readonly string[]) =>
    store.db.transaction().execute((tx) =>
      addInstantRefunds(
        tx,
        fixture.order.id,
        deposits.map((deposit) => ({ deposit, amount: 5n, to: 'home', pays: 4n, signature: `for ${deposit}` })),
      ),
    )
  const execute = async () => {
    const action = await fixture.lease('source', 'refund')
    const result = await executeAction(fixture.context('service'), action)
    await finishAction(store.db, action, { ...result, againInMs: 0 } as Parameters<typeof finishAction>[2])
    return result
  }

  test('is refunded before its timelock ends, with the relay key for extra fees, and the transaction is kept', async () => {
    await fixture.fund('source')
    expect(await wanted()).toEqual([])
    await agree(depositId(), 'another deposit that a reorg removed')
    expect(await wanted()).toEqual(['refund source'])
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'instantRefund 1' })
    const { spend, signer } = fixture.bitcoin.orders[0] ?? {}
    expect(spend?.deposits).toEqual([{ id: depositId(), amount: 5n }])
    expect(signer?.publicKey).toEqual(createSecp256k1Key(RELAY_KEY).publicKey)
    const { id, source } = fixture.order
    const action = { order: id, leg: 'source', verb: 'instant-refund', terms: source.terms }
    expect(signer?.purpose).toEqual({ kind: 'order', chain: source.chain, actions: [action] })
    expect((await stored()).grants).toMatchObject([{ kind: 'instant-refund', transaction: 'raw instantRefund 1' }])
  })

  test('needs no refund once it is mined, and again after a reorg', async () => {
    await fixture.fund('source')
    await agree(depositId())
    fixture.bitcoin.mine(fixture.events('source').refund)
    await fixture.watch()
    expect(await wanted()).toEqual([])
    fixture.bitcoin.drop(1)
    fixture.bitcoin.grow(2)
    await fixture.watch()
    expect(await wanted()).toEqual(['refund source'])
  })

  test.each(['seen by the watcher', 'not yet'])('is not refunded while the destination is initiated, %s', async (when) => {
    await fixture.fund('source')
    await agree(depositId())
    fixture.ethereum.mine(fixture.events('destination').deposit)
    if (when === 'seen by the watcher') {
      await fixture.watch()
      expect(await wanted()).not.toContain('refund source')
    }
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(fixture.bitcoin.broadcast).toEqual([])
  })

  test('is left to the ordinary refund once it is expired', async () => {
    await fixture.fund('source')
    await agree(depositId())
    fixture.bitcoin.before.instantRefund = () => {
      throw new ChainFailure('would-fail', 'the fee is too low')
    }
    expect(await execute()).toMatchObject({ kind: 'failed', error: 'the fee is too low' })
    fixture.bitcoin.grow(200)
    await fixture.watch()
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'refund 1' })
    expect(fixture.bitcoin.orders.at(-1)?.spend).toMatchObject({ to: 'where the user wants it back' })
    expect(fixture.bitcoin.orders.at(-1)?.signer?.publicKey).toEqual(createSecp256k1Key(ORDER_KEY).publicKey)
    expect(await readAttempts(store.db, `${fixture.order.id}/source/refund`)).toHaveLength(1)
  })

  test('comes before an expired deposit, which may be uneconomic forever', async () => {
    const dust = { ...fixture.events('source').deposit, tx: 'dust', deposit: 'dust' }
    await fixture.watch()
    fixture.bitcoin.mine(dust.kind === 'initiated' ? { ...dust, amount: 1n } : dust)
    fixture.bitcoin.grow(200)
    await fixture.fund('source')
    await agree(depositId())
    fixture.bitcoin.before.refund = () => {
      throw new ChainFailure('would-fail', 'uneconomic')
    }
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'instantRefund 1' })
  })
})
