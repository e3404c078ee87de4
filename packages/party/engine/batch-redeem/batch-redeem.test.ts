/** Tests that redeems that wait are batched, and that one bad redeem harms no other. */
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type LeasedAction, leaseAction, readAction, syncWanted } from '../../store/actions/actions.ts'
import { readAttempts } from '../../store/actions/attempts.ts'
import { keepCosigned } from '../../store/actions/batches.ts'
import { finishAction } from '../../store/actions/finish-action.ts'
import { recordOwnFill } from '../../store/orders/fills.ts'
import { sharedStore } from '../../store/shared-store.fixture.ts'
import { NOW, putOrder, sightingsOf } from '../../store/store.fixture.ts'
import { executeInTime } from '../action-deadline.ts'
import { freshEngine, openEngineFixture, registry } from '../engine.fixture.ts'
import { startEngine } from '../engine.ts'
import { executeAction } from '../executor.ts'
import type { Step } from '../party.ts'

const store = sharedStore()
const fixture = freshEngine(store)
let sent: { readonly items: readonly RedeemItem[]; readonly cosigned: string | null; readonly outbox: Outbox }[]
/** The secret hashes of the redeems that the chain would skip. */
let bad: Set<string>
let beforeRecord: () => unknown
let orders: readonly string[]

beforeEach(async () => {
  sent = []
  bad = new Set()
  beforeRecord = () => undefined
  const notAsked = () => {
    throw new Error('the engine must not ask for this')
  }
  Object.assign(fixture.bitcoin, {
    batchRedeem: {
      areRedeemable: async (items: readonly RedeemItem[]) => items.map(({ terms }) => !bad.has(terms.secretHash)),
      redeem: (items: readonly RedeemItem[], outbox: Outbox) => batchRedeem(items, null, outbox),
    },
    cosignedRedeem: { send: batchRedeem, isOffer: notAsked, draft: notAsked, cosign: notAsked, verify: notAsked },
  })
  orders = [await addRedeemable(), await addRedeemable(), await addRedeemable()].toSorted()
})

/** A time limit that passes when the test says so, however slow the machine is. */
function holdLimit(): { readonly ms: number; pass(): void } {
  const ms = 86_400_123
  const start = globalThis.setTimeout
  const limit = { ms, pass: (): void => undefined }
  const held = (run: () => void, after?: number) => {
    if (after === ms) limit.pass = run
    return start(run, after)
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(Object.assign(held, { __promisify__: start.__promisify__ }))
  return limit
}

afterEach(() => vi.restoreAllMocks())

async function batchRedeem(items: readonly RedeemItem[], cosigned: string | null, outbox: Outbox): Promise<string> {
  sent.push({ items, cosigned, outbox })
  await beforeRecord()
  const tx = `together ${sent.length}`
  await outbox.withKey(({ record }) => record({ tx, raw: `raw ${tx}`, slots: [], feeRate: 1n }))
  return tx
}

async function addRedeemable(): Promise<string> {
  const secret = createSecret()
  const { order } = await putOrder(store.db, { secret })
  const [source, destination] = [sightingsOf(order.source.swapId), sightingsOf(order.destination.swapId)]
  const { hash: blockHash } = fixture.bitcoin.mine(source.initiated())
  const { amount } = order.destination.terms
  const fill = { deposits: [source.initiated().deposit], blockHash, destinationAmount: amount }
  await recordOwnFill(store.db, order.id, fill, { amount, swapId: order.destination.swapId }, 'word')
  fixture.ethereum.mine(destination.initiated(), destination.redeemed(secret))
  await fixture.watch()
  await sql`update orders set seen_secret_at = to_timestamp(${NOW.toString()}::bigint) where seen_secret_at is not null`.execute(store.db)
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'redeem' }])
  return order.id
}

const keyOf = (orderId = '') => actionKey(orderId, 'source', 'redeem')
const swapOf = async (orderId = '') =>
  (await store.db.selectFrom('swaps').select('swap_id').where('order_id', '=', orderId).where('leg', '=', 'source').executeTakeFirst())
    ?.swap_id ?? ''
const depositsOf = async (ids: readonly (string | undefined)[]) => {
  const swaps = await Promise.all(ids.map(swapOf))
  return swaps.map((swapId) => `deposit of ${swapId}`).toSorted()
}
const deposits = (index: number) => (sent[index]?.items ?? []).flatMap((item) => item.deposits.map(({ id }) => id)).toSorted()

async function lease(orderId = ''): Promise<LeasedAction> {
  await sql`update actions set due_at = now() + interval '1 hour' where key <> ${keyOf(orderId)}`.execute(store.db)
  await sql`update actions set due_at = now() where key = ${keyOf(orderId)}`.execute(store.db)
  const leased = await leaseAction(store.db, 'engine', 60)
  if (leased === null) throw new Error('nothing to lease')
  return leased
}

async function execute(orderId = '') {
  const action = await lease(orderId)
  const result = await executeAction(fixture.context('solver'), action)
  await finishAction(store.db, action, result)
  return result
}
const attemptsOf = async (orderId = '') => (await readAttempts(store.db, keyOf(orderId))).map(({ tx }) => tx)
const held = () => store.db.selectFrom('actions').select('key').where('lease_holder', 'is not', null).execute()

describe('waiting redeems', () => {
  test('are batched with the first into one transaction, recorded for all of them', async () => {
    expect(await execute(orders[1])).toEqual({ kind: 'sent', tx: 'together 1', againInMs: 1000 })
    expect(sent).toHaveLength(1)
    expect(deposits(0)).toEqual(await depositsOf(orders))
    expect(sent[0]).toMatchObject({ cosigned: null, outbox: { attempts: [] } })
    expect(await sent[0]?.outbox.readOthers()).toEqual([])
    for (const orderId of orders) {
      expect(await attemptsOf(orderId)).toEqual(['together 1'])
      expect(await readAction(store.db, keyOf(orderId))).toMatchObject({ lastTx: 'together 1' })
    }
    expect(await held()).toEqual([])
    expect(fixture.bitcoin.asked).not.toContain('redeem')
  })

  test('are all released when their node never answers', async () => {
    const action = await lease(orders[0])
    let goOn: () => void = () => undefined
    beforeRecord = () =>
      new Promise<void>((resolve) => {
        goOn = resolve
      })
    const context = fixture.context('solver')
    const limit = holdLimit()
    const ended = executeInTime(context, action, limit.ms)
    await vi.waitFor(() => expect(sent[0]?.items).toHaveLength(3), { timeout: 60_000 })
    limit.pass()
    expect(await ended).toMatchObject({ kind: 'failed' })
    expect((await held()).map(({ key }) => key)).toEqual([action.key])
    await context.leases.finish(action, { kind: 'skipped', againInMs: 0 })
    goOn()
    await expect(sent[0]?.outbox.withKey(({ record }) => record({ tx: 'late', raw: '', slots: [], feeRate: 1n }))).rejects.toThrow()
    for (const orderId of orders) expect(await attemptsOf(orderId)).toEqual([])
  })

  test('each with its own terms and its own secret', async () => {
    await execute(orders[0])
    const items = sent[0]?.items ?? []
    expect(new Set(items.map(({ terms }) => terms.secretHash)).size).toBe(3)
    const rows = await store.db.selectFrom('orders').select(['secret_hash', 'seen_secret']).execute()
    const secrets = new Map(rows.map((row) => [row.secret_hash, row.seen_secret]))
    for (const { terms, secret } of items) expect(secret).toBe(secrets.get(terms.secretHash))
  })

  const hashOf = async (orderId = '') =>
    (await store.db.selectFrom('orders').select('secret_hash').where('id', '=', orderId).executeTakeFirstOrThrow()).secret_hash

  test('without one that the chain would skip: its secret is not shown, and it is released', async () => {
    bad.add(await hashOf(orders[2]))
    await execute(orders[0])
    expect(deposits(0)).toEqual(await depositsOf(orders.slice(0, 2)))
    expect(await attemptsOf(orders[2])).toEqual([])
    expect(await held()).toEqual([])
  })

  test('do not wait for a first one that the chain would skip', async () => {
    bad.add(await hashOf(orders[0]))
    await execute(orders[0])
    expect(deposits(0)).toEqual(await depositsOf(orders.slice(0, 1)))
    const leased = await leaseAction(store.db, 'engine', 60)
    expect(orders.slice(1)).toContain(leased?.orderId)
  })

  test('are replaced together', async () => {
    await execute(orders[0])
    const late = await addRedeemable()
    expect(await execute(orders[2])).toMatchObject({ kind: 'sent', tx: 'together 2' })
    expect(deposits(1)).toEqual(await depositsOf(orders))
    expect(sent[1]?.outbox.attempts.map(({ tx }) => tx)).toEqual(['together 1'])
    for (const orderId of orders) expect(await attemptsOf(orderId)).toEqual(['together 1', 'together 2'])
    expect(await attemptsOf(late)).toEqual([])
  })

  test('leave out one that is refunded', async () => {
    fixture.bitcoin.mine(sightingsOf(await swapOf(orders[1])).refunded())
    await execute(orders[0])
    expect(deposits(0)).toEqual(await depositsOf([orders[0], orders[2]]))
    expect(await attemptsOf(orders[1])).toEqual([])
    expect(await held()).toEqual([])
  })

  test.each([new ChainFailure('unreachable', 'no answer'), new TypeError('a bug')])(
    'leave out one whose check fails: %s',
    async (error) => {
      const context = fixture.context('solver')
      const { party } = context
      const fails: typeof party = {
        ...party,
        async authorize({ state }) {
          if (state.order.id === orders[1]) throw error
        },
      }
      const action = await lease(orders[0])
      expect(await executeAction({ ...context, party: fails }, action)).toMatchObject({ kind: 'sent' })
      expect(deposits(0)).toEqual(await depositsOf([orders[0], orders[2]]))
      expect((await held()).map(({ key }) => key)).toEqual([action.key])
    },
  )

  test('leave out one with a wrong secret', async () => {
    const context = fixture.context('solver')
    const { party } = context
    const fails: typeof party = {
      ...party,
      async secretFor(step) {
        if (step.state.order.id === orders[1]) throw new Error('the seen secret does not match the secret hash')
        return party.secretFor(step)
      },
    }
    expect(await executeAction({ ...context, party: fails }, await lease(orders[0]))).toMatchObject({ kind: 'sent' })
    expect(deposits(0)).toEqual(await depositsOf([orders[0], orders[2]]))
  })

  test.each([
    { error: new ChainFailure('would-fail', 'refused'), result: { kind: 'failed', error: 'refused' } },
    { error: new ChainFailure('superseded', 'mined'), result: { kind: 'skipped' } },
  ])('are released when the transaction fails: $error.kind', async ({ error, result }) => {
    beforeRecord = () => {
      throw error
    }
    expect(await execute(orders[0])).toMatchObject(result)
    expect(await held()).toEqual([])
    for (const orderId of orders) expect(await attemptsOf(orderId)).toEqual([])
  })

  test('are released after an unexpected error', async () => {
    beforeRecord = () => {
      throw new TypeError('a bug')
    }
    const action = await lease(orders[0])
    await expect(executeAction(fixture.context('solver'), action)).rejects.toThrow('a bug')
    expect((await held()).map(({ key }) => key)).toEqual([action.key])
  })

  test('are all skipped when one of their leases is lost', async () => {
    beforeRecord = () => sql`update actions set fence = fence + 1 where key = ${keyOf(orders[2])}`.execute(store.db)
    expect(await execute(orders[0])).toMatchObject({ kind: 'skipped' })
    for (const orderId of orders) expect(await attemptsOf(orderId)).toEqual([])
  })

  test('have the deadline of the most urgent one', async () => {
    fixture.bitcoin.grow(20)
    const late = await addRedeemable()
    expect(await execute(late)).toMatchObject({ kind: 'sent' })
    // The first deposit was mined 23 blocks of two seconds before the last one, which has 199 blocks left.
    expect(sent[0]?.outbox.secondsLeft).toBe(398n - 46n)
  })
})

describe('a cosigned transaction', () => {
  test('redeems exactly the orders in it; the others follow', async () => {
    await keepCosigned(store.db, [orders[0] ?? '', orders[2] ?? ''], 'cosigned')
    expect(await execute(orders[2])).toMatchObject({ kind: 'sent' })
    expect(sent[0]?.cosigned).toBe('cosigned')
    expect(deposits(0)).toEqual(await depositsOf([orders[0], orders[2]]))
    expect(await attemptsOf(orders[1])).toEqual([])
    await execute(orders[1])
    expect(sent[1]?.cosigned).toBeNull()
    expect(deposits(1)).toEqual(await depositsOf([orders[1]]))
  })

  test('is not split by a redeem outside of it', async () => {
    await keepCosigned(store.db, [orders[0] ?? '', orders[2] ?? ''], 'cosigned')
    await execute(orders[1])
    expect(deposits(0)).toEqual(await depositsOf([orders[1]]))
  })

  test.each([
    { first: 0, together: [0, 1], cosigned: null },
    { first: 2, together: [2], cosigned: 'cosigned' },
  ])('that arrives while the redeems are being leased is respected: $cosigned', async ({ first, together, cosigned }) => {
    const context = fixture.context('solver')
    const party = {
      ...context.party,
      cosignedFor: async ({ state }: Step) => (state.order.id === orders[2] ? 'cosigned' : null),
    }
    await executeAction({ ...context, party }, await lease(orders[first]))
    expect(sent[0]?.cosigned).toBe(cosigned)
    expect(deposits(0)).toEqual(await depositsOf(together.map((index) => orders[index])))
  })

  test('is not split by concurrent actions', async () => {
    await keepCosigned(store.db, orders, 'cosigned')
    const { party } = fixture.context('solver')
    const log = createLogger({ name: 'test', pretty: false, level: 'silent' })
    const engine = startEngine({ db: store.db, registry, clients: fixture.clients, party, log, now: () => NOW })
    try {
      await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), { timeout: 150_000, interval: 20 })
    } finally {
      await engine.stop()
    }
    for (const index of sent.keys()) expect(deposits(index)).toEqual(await depositsOf(orders))
  })
})

test('the service does not batch its redeems', async () => {
  const service = await openEngineFixture(store, {
    source: { chain: 'ethereum_localnet' },
    destination: { chain: 'bitcoin_regtest', userAddress: 'where the user wants it' },
  })
  Object.assign(service.bitcoin, { batchRedeem: fixture.bitcoin.batchRedeem })
  await service.fund('source', 'destination')
  expect(await executeAction(service.context('service'), await service.lease('destination', 'redeem'))).toMatchObject({ tx: 'redeem 1' })
  expect(sent).toEqual([])
})
