import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainFailure } from '../chains/port/failure.ts'
import { type EngineFixture, openEngineFixture, registry } from '../engine/engine.fixture.ts'
import { loadFacts } from '../engine/facts.ts'
import type { Step } from '../engine/party.ts'
import { createKey, createKeyring } from '../keys/keyring.ts'
import { deriveOrder } from '../protocol/state.ts'
import { keepCosigned } from '../store/actions/batches.ts'
import { findOrder } from '../store/orders/orders.ts'
import { commitTo, isCommittedTo } from '../store/solver/commitments.ts'
import { NOW, openTestStore, type TestStore } from '../store/store.fixture.ts'
import { createSolverParty } from './party.ts'

let store: TestStore
let fixture: EngineFixture
let now: bigint
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  fixture = await openEngineFixture(store)
  now = NOW
})

const key = createKey('secp256k1', '22'.repeat(32))
const party = (redeemWaitSeconds = 0n) => createSolverParty({ db: store.db, keys: createKeyring([key]), redeemWaitSeconds, now: () => now })

/** By what the watchers know. */
async function step(verb: Step['verb'] = 'redeem', leg: Step['leg'] = 'source'): Promise<Step> {
  await fixture.watch()
  const stored = await findOrder(store.db, fixture.order.id)
  const [facts] = stored === null ? [] : await loadFacts(store.db, registry, [stored], NOW)
  if (facts === undefined) throw new Error('the order is gone')
  return { state: deriveOrder(facts), verb, leg, client: fixture.chainOf(leg) }
}

/** Both sides are there, and the secret was seen at this time. */
async function reveal(seenAt = NOW): Promise<void> {
  await fixture.fund('source', 'destination')
  fixture.ethereum.mempool = [fixture.events('destination').redeem]
  await fixture.watch()
  await sql`update orders set seen_secret_at = to_timestamp(${seenAt.toString()}::bigint)`.execute(store.db)
}

describe('how long a redeem waits to become cheaper', () => {
  const HOUR = 3600n
  const patience = async (waitSeconds: bigint, of?: Step) => party(waitSeconds).waitMs?.(of ?? (await step()))
  beforeEach(() => {
    Object.assign(fixture.bitcoin, { batchRedeem: {} })
  })

  test('what is left of its time since the secret was seen', async () => {
    await reveal()
    expect(await patience(60n)).toBe(60_000)
    now = NOW + 59n
    expect(await patience(60n)).toBe(1_000)
  })

  test.each([60n, 61n, 100_000n])('no more, %i seconds later', async (later) => {
    await reveal()
    now = NOW + later
    expect(await patience(60n)).toBeLessThanOrEqual(0)
  })

  test('not where redeems are not done together', async () => {
    await reveal()
    Object.assign(fixture.bitcoin, { batchRedeem: undefined })
    expect(await patience(60n)).toBe(0)
  })

  test('not with a transaction that the initiators have signed', async () => {
    await reveal()
    await keepCosigned(store.db, [fixture.order.id], 'cosigned')
    expect(await patience(60n)).toBe(0)
  })

  test('not when nobody wrote down when the secret was seen', async () => {
    await fixture.fund('source', 'destination')
    expect(await patience(60n)).toBe(0)
  })

  test.each(['refund', 'initiate'] as const)('nothing else waits: %s', async (verb) => {
    await reveal()
    expect(await patience(60n, await step(verb))).toBe(0)
  })

  test('nor does anything of the destination', async () => {
    await reveal()
    Object.assign(fixture.ethereum, { batchRedeem: {} })
    expect(await patience(60n, await step('redeem', 'destination'))).toBe(0)
  })

  describe('never into the time that it needs before the timelock ends', () => {
    const { margins, clock } = registry.chain('bitcoin_regtest')
    const twice = 2n * (margins.claimSeconds + margins.reorgSeconds + margins.feeSpikeSeconds)
    const fastest = clock.fastestMs / 1000n
    /** All blocks come as fast as they can; of 200 the next is one. */
    const left = (blocks: number) => fixture.bitcoin.grow(199 - blocks)

    test('all margins twice, and blocks as fast as they may come', async () => {
      await reveal()
      expect(await patience(HOUR)).toBe(Number(199n * fastest - twice) * 1000)
      left(100)
      expect(await patience(HOUR)).toBe(Number(100n * fastest - twice) * 1000)
      expect(await patience(10n)).toBe(10_000)
    })

    test('to the block', async () => {
      await reveal()
      const blocks = Number(twice / fastest)
      left(blocks + 1)
      expect(await patience(HOUR)).toBe(Number(fastest) * 1000)
      fixture.bitcoin.grow(1)
      expect(await patience(HOUR)).toBe(0)
      fixture.bitcoin.grow(1)
      expect(await patience(HOUR)).toBeLessThan(0)
    })

    test('that of a deposit without a block has not begun', async () => {
      await reveal()
      fixture.bitcoin.drop(1)
      fixture.bitcoin.mempool = [fixture.events('source').deposit]
      fixture.bitcoin.grow(1)
      expect(await patience(HOUR)).toBe(Number(200n * fastest - twice) * 1000)
    })
  })
})

test('a transaction that the initiators have signed is that of this order', async () => {
  await reveal()
  expect(await party().cosignedFor?.(await step())).toBeNull()
  await keepCosigned(store.db, [fixture.order.id], 'cosigned')
  expect(await party().cosignedFor?.(await step())).toBe('cosigned')
})

test('it signs with its own key, and its money comes home', async () => {
  await reveal()
  expect(await party().keyFor(await step())).toBe(key)
  expect(party().payoutAddress(await step())).toBeNull()
})

describe('its last word before it pays', () => {
  test('binds it: from then on it signs no refund of the source', async () => {
    await fixture.fund('source')
    await party().authorize(await step('initiate', 'destination'))
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(true)
  })

  test('is no, once it has signed a refund of the source', async () => {
    await fixture.fund('source')
    await commitTo(store.db, fixture.order.id, 'refund_signed')
    await expect(party().authorize(await step('initiate', 'destination'))).rejects.toThrow(ChainFailure)
  })

  test('is no, unless it has signed for the deposits; and then it is bound to nothing', async () => {
    await fixture.fund('source')
    await store.db.deleteFrom('fills').execute()
    await expect(party().authorize(await step('initiate', 'destination'))).rejects.toThrow('never initiated by us')
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(false)
  })

  test('is not needed for anything else', async () => {
    await reveal()
    await party().authorize(await step('redeem', 'source'))
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(false)
  })
})

describe('the secret', () => {
  test('is what was seen, if it is the right one', async () => {
    await reveal()
    expect(await party().secretFor(await step())).toBe(fixture.secret)
    const { state, ...rest } = await step()
    const otherwise = (secret: string | null) => party().secretFor({ ...rest, state: { ...state, secret } })
    await expect(otherwise('00'.repeat(32))).rejects.toThrow('not its secret')
    await expect(otherwise(null)).rejects.toThrow('not its secret')
  })
})
