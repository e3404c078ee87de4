/** Tests how long a redeem waits for a batch, and what is checked and recorded before a payment. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { freshEngine, registry } from '@tandem/party/engine/engine.fixture.ts'
import { testEvidence } from '@tandem/party/engine/evidence/evidence.fixture.ts'
import { loadFacts } from '@tandem/party/engine/facts.ts'
import type { Step } from '@tandem/party/engine/party.ts'
import { noGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { keepCosigned } from '@tandem/party/store/actions/batches.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { commitTo, isCommittedTo } from '@tandem/party/store/solver/commitments.ts'
import { NOW } from '@tandem/party/store/store.fixture.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createSolverParty } from './party.ts'

const store = sharedStore()
const fixture = freshEngine(store)
let now: bigint
beforeEach(async () => {
  now = NOW
})

const key = createKey('secp256k1', '22'.repeat(32))
const party = (redeemWaitSeconds = 0n) =>
  createSolverParty({ db: store.db, keys: createKeyring([key]), redeemWaitSeconds, payChecks: [], now: () => now })

async function step(verb: Step['verb'] = 'redeem', leg: Step['leg'] = 'source'): Promise<Step> {
  await fixture.watch()
  const stored = await findOrder(store.db, fixture.order.id)
  const [facts] = stored === null ? [] : await loadFacts(store.db, registry, [stored], NOW)
  if (facts === undefined) throw new Error('the order is gone')
  return { state: deriveOrder(facts), verb, leg, client: fixture.chainOf(leg), asOfMs: 0, goodForMs: 0, evidence: testEvidence }
}

async function reveal(seenAt = NOW): Promise<void> {
  await fixture.fund('source', 'destination')
  fixture.ethereum.mempool = [fixture.events('destination').redeem]
  await fixture.watch()
  await sql`update orders set seen_secret_at = to_timestamp(${seenAt.toString()}::bigint)`.execute(store.db)
}

describe('the wait of a redeem for a batch', () => {
  const HOUR = 3600n
  const waitMs = async (waitSeconds: bigint, of?: Step) => party(waitSeconds).waitMs?.(of ?? (await step()))
  beforeEach(() => {
    Object.assign(fixture.bitcoin, { cosignedRedeem: {} })
  })

  test('counts from when the secret was seen', async () => {
    await reveal()
    expect(await waitMs(60n)).toBe(60_000)
    now = NOW + 59n
    expect(await waitMs(60n)).toBe(1_000)
  })

  test.each([60n, 61n, 100_000n])('is over %i seconds later', async (later) => {
    await reveal()
    now = NOW + later
    expect(await waitMs(60n)).toBeLessThanOrEqual(0)
  })

  test('is zero on a chain without batch redeems', async () => {
    await reveal()
    Object.assign(fixture.bitcoin, { cosignedRedeem: undefined })
    expect(await waitMs(60n)).toBe(0)
  })

  test('is zero once a cosigned transaction is stored', async () => {
    await reveal()
    await keepCosigned(store.db, [fixture.order.id], 'cosigned')
    expect(await waitMs(60n)).toBe(0)
  })

  test('is zero if the time when the secret was seen is not recorded', async () => {
    await fixture.fund('source', 'destination')
    expect(await waitMs(60n)).toBe(0)
  })

  test.each(['refund', 'initiate'] as const)('is zero for a %s', async (verb) => {
    await reveal()
    expect(await waitMs(60n, await step(verb))).toBe(0)
  })

  test('is zero on the destination', async () => {
    await reveal()
    Object.assign(fixture.ethereum, { cosignedRedeem: {} })
    expect(await waitMs(60n, await step('redeem', 'destination'))).toBe(0)
  })

  describe('leaves enough time before the timelock ends', () => {
    const { margins, clock } = registry.chain('bitcoin_regtest')
    const twice = 2n * (margins.claimSeconds + margins.reorgSeconds + margins.feeSpikeSeconds)
    const fastest = clock.fastestMs / 1000n
    /** Mines blocks until this many of the timelock's 200 blocks are left, counted from the deposit's block. */
    const left = (blocks: number) => fixture.bitcoin.grow(199 - blocks)

    test('twice all margins, at the fastest pace of blocks', async () => {
      await reveal()
      expect(await waitMs(HOUR)).toBe(Number(199n * fastest - twice) * 1000)
      left(100)
      expect(await waitMs(HOUR)).toBe(Number(100n * fastest - twice) * 1000)
      expect(await waitMs(10n)).toBe(10_000)
    })

    test('exact to the block', async () => {
      await reveal()
      const blocks = Number(twice / fastest)
      left(blocks + 1)
      expect(await waitMs(HOUR)).toBe(Number(fastest) * 1000)
      fixture.bitcoin.grow(1)
      expect(await waitMs(HOUR)).toBe(0)
      fixture.bitcoin.grow(1)
      expect(await waitMs(HOUR)).toBeLessThan(0)
    })

    test('the timelock of an unconfirmed deposit has not started', async () => {
      await reveal()
      fixture.bitcoin.drop(1)
      fixture.bitcoin.mempool = [fixture.events('source').deposit]
      fixture.bitcoin.grow(1)
      expect(await waitMs(HOUR)).toBe(Number(200n * fastest - twice) * 1000)
    })
  })
})

test('returns the cosigned transaction of this order', async () => {
  await reveal()
  expect(await party().cosignedFor?.(await step())).toBeNull()
  await keepCosigned(store.db, [fixture.order.id], 'cosigned')
  expect(await party().cosignedFor?.(await step())).toBe('cosigned')
})

test('signs with its own key and is paid at the address of that key', async () => {
  await reveal()
  expect(await party().keyFor(await step())).toBe(key)
  expect(party().payoutAddress(await step())).toBeNull()
})

describe('the authorisation of an initiation', () => {
  test('records the commitment to pay, so that no refund of the source is signed any more', async () => {
    await fixture.fund('source')
    await party().authorize(await step('initiate', 'destination'))
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(true)
  })

  test('fails once a refund of the source is signed', async () => {
    await fixture.fund('source')
    await commitTo(store.db, fixture.order.id, 'refund_signed')
    await expect(party().authorize(await step('initiate', 'destination'))).rejects.toThrow(ChainFailure)
  })

  test('fails without a signed fill, and records no commitment', async () => {
    await fixture.fund('source')
    await store.db.deleteFrom('fills').execute()
    await expect(party().authorize(await step('initiate', 'destination'))).rejects.toThrow('the solver never committed to pay')
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(false)
  })

  test('fails for terms that it has not signed for before, if the release log names others', async () => {
    await fixture.fund('source')
    const initiation = await step('initiate', 'destination')
    const having = (...locks: readonly string[]) =>
      createSolverParty({
        db: store.db,
        keys: createKeyring([key]),
        redeemWaitSeconds: 0n,
        payChecks: [],
        guard: { ...noGuard, locksOf: () => locks },
        now: () => now,
      }).authorize(initiation)
    await expect(having('another HTLC')).rejects.toThrow('signed for other terms')
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(false)
    await having('another HTLC', fixture.order.destination.swapId)
    await having()
  })

  test('records nothing for other steps', async () => {
    await reveal()
    await party().authorize(await step('redeem', 'source'))
    expect(await isCommittedTo(store.db, fixture.order.id, 'locked')).toBe(false)
  })
})

describe('the secret', () => {
  test('is the one that was seen, if it matches the secret hash', async () => {
    await reveal()
    expect(await party().secretFor(await step())).toBe(fixture.secret)
    const { state, ...rest } = await step()
    const otherwise = (secret: string | null) => party().secretFor({ ...rest, state: { ...state, secret } })
    await expect(otherwise('00'.repeat(32))).rejects.toThrow('does not match the secret hash')
    await expect(otherwise(null)).rejects.toThrow('does not match the secret hash')
  })
})
