// What the engine does with what users gave after the order was made: their own secret, and the solver's word to give a deposit back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainFailure } from '../chains/port/failure.ts'
import { createSecp256k1Key } from '../keys/secp256k1.ts'
import { createSecret } from '../protocol/secret.ts'
import { finishAction, readAttempts } from '../store/actions/actions.ts'
import { addGrant, addInstantRefunds } from '../store/orders/grants.ts'
import { findOrder } from '../store/orders/orders.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { NOW, openTestStore, type TestStore } from '../store/store.fixture.ts'
import { ORDER_KEY, openScene, RELAY_KEY, registry, type Scene } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { reconcile } from './reconciler.ts'

let store: TestStore
let scene: Scene
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const wanted = async () => {
  await reconcile(store.db, registry, 'service', NOW)
  const rows = await store.db.selectFrom('actions').select(['leg', 'verb']).where('wanted', '=', true).execute()
  return rows.map(({ leg, verb }) => `${verb} ${leg}`).toSorted()
}
const stored = async () => {
  const order = await findOrder(store.db, scene.order.id)
  if (order === null) throw new Error('the order is gone')
  return order
}

describe('a secret that the client keeps', () => {
  beforeEach(async () => {
    scene = await openScene(store, { clientSecret: true })
    await store.db.deleteFrom('sealed_values').where('purpose', '=', 'secret').execute()
    await scene.fund('source', 'destination')
  })
  const execute = async () => executeAction(scene.context('service'), await scene.lease('destination', 'redeem'))
  const grant = async (secret = scene.secret) => {
    await createVault('42'.repeat(32)).put(store.db, scene.order.id, 'secret', secret)
    await addGrant(store.db, scene.order.id, { kind: 'redeem', leg: 'destination' })
  }

  test('is not waited for: nothing is wanted, and nothing is done', async () => {
    expect(await wanted()).toEqual([])
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(scene.ethereum.asked).not.toContain('redeem')
    expect((await stored()).secretSigned).toBe(false)
  })

  test('redeems once it is given, signed and shown like any other', async () => {
    await grant()
    expect(await wanted()).toEqual(['redeem destination'])
    const seen: unknown[] = []
    scene.ethereum.before.redeem = async () => void seen.push((await stored()).secretSigned)
    scene.ethereum.before.broadcast = async () => void seen.push((await stored()).secretSigned)
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'redeem 1' })
    expect(seen).toEqual([false, true])
    expect(scene.ethereum.orders[0]?.spend).toMatchObject({ secret: scene.secret })
    expect((await stored()).secretShown).toBe(true)
  })

  test('is not used when it was given in time and its time is over before it could be', async () => {
    await grant()
    scene.ethereum.grow(100)
    await scene.watch()
    expect(await wanted()).toEqual([])
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect((await stored()).secretSigned).toBe(false)
  })

  test('that is not the right one is never shown', async () => {
    await grant(createSecret())
    await expect(execute()).rejects.toThrow('missing or not the right one')
    expect(scene.ethereum.asked).not.toContain('redeem')
    expect((await stored()).secretSigned).toBe(false)
  })

  test('that is public is used without being given', async () => {
    scene.bitcoin.mempool = [scene.events('source').redeem]
    await scene.watch()
    expect(await wanted()).toEqual(['redeem destination'])
    expect(await execute()).toMatchObject({ kind: 'sent' })
  })
})

describe('a deposit that both parties give back', () => {
  beforeEach(async () => {
    scene = await openScene(store, { source: { userAddress: 'where the user wants it back' } })
  })
  const depositId = () => `deposit of ${scene.order.source.swapId}`
  const agree = (...deposits: readonly string[]) =>
    store.db.transaction().execute((tx) =>
      addInstantRefunds(
        tx,
        scene.order.id,
        deposits.map((deposit) => ({ deposit, amount: 5n, to: 'home', pays: 4n, signature: `for ${deposit}` })),
      ),
    )
  const execute = async () => {
    const action = await scene.lease('source', 'refund')
    const result = await executeAction(scene.context('service'), action)
    await finishAction(store.db, action, { ...result, againInMs: 0 } as Parameters<typeof finishAction>[2])
    return result
  }

  test('is sent before its timelock ends, by whoever pays what is missing of its fee, and the transaction is kept', async () => {
    await scene.fund('source')
    expect(await wanted()).toEqual([])
    await agree(depositId(), 'another deposit that was reorganised away')
    expect(await wanted()).toEqual(['refund source'])
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'instantRefund 1' })
    const { spend, outbox } = scene.bitcoin.orders[0] ?? {}
    expect(spend?.deposits).toEqual([{ id: depositId(), amount: 5n }])
    expect(outbox?.signer.publicKey).toEqual(createSecp256k1Key(RELAY_KEY).publicKey)
    const { id, source } = scene.order
    const action = { order: id, leg: 'source', verb: 'instant-refund', terms: source.terms }
    expect(outbox?.signer.purpose).toEqual({ kind: 'order', chain: source.chain, actions: [action] })
    expect((await stored()).grants).toMatchObject([{ kind: 'instant-refund', transaction: 'raw instantRefund 1' }])
  })

  test('is done once it is mined, and wanted again if a reorg takes that back', async () => {
    await scene.fund('source')
    await agree(depositId())
    scene.bitcoin.mine(scene.events('source').refund)
    await scene.watch()
    expect(await wanted()).toEqual([])
    scene.bitcoin.drop(1)
    scene.bitcoin.grow(2)
    await scene.watch()
    expect(await wanted()).toEqual(['refund source'])
  })

  test.each(['seen by the watcher', 'not yet'])('is not sent while the destination is there, %s', async (when) => {
    await scene.fund('source')
    await agree(depositId())
    scene.ethereum.mine(scene.events('destination').deposit)
    if (when === 'seen by the watcher') {
      await scene.watch()
      expect(await wanted()).not.toContain('refund source')
    }
    expect(await execute()).toMatchObject({ kind: 'skipped' })
    expect(scene.bitcoin.broadcast).toEqual([])
  })

  test('is left to the ordinary refund once it is expired', async () => {
    await scene.fund('source')
    await agree(depositId())
    scene.bitcoin.before.instantRefund = () => {
      throw new ChainFailure('would-fail', 'the fee is too low')
    }
    expect(await execute()).toMatchObject({ kind: 'failed', error: 'the fee is too low' })
    scene.bitcoin.grow(200)
    await scene.watch()
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'refund 1' })
    expect(scene.bitcoin.orders.at(-1)?.spend).toMatchObject({ to: 'where the user wants it back' })
    expect(scene.bitcoin.orders.at(-1)?.outbox.signer.publicKey).toEqual(createSecp256k1Key(ORDER_KEY).publicKey)
    expect(await readAttempts(store.db, `${scene.order.id}/source/refund`)).toHaveLength(1)
  })

  test('comes before an expired deposit, which may not be worth its fee for ever', async () => {
    const dust = { ...scene.events('source').deposit, tx: 'dust', deposit: 'dust' }
    await scene.watch()
    scene.bitcoin.mine(dust.kind === 'initiated' ? { ...dust, amount: 1n } : dust)
    scene.bitcoin.grow(200)
    await scene.fund('source')
    await agree(depositId())
    scene.bitcoin.before.refund = () => {
      throw new ChainFailure('would-fail', 'uneconomic')
    }
    expect(await execute()).toMatchObject({ kind: 'sent', tx: 'instantRefund 1' })
  })
})
