/** Tests how much time an action has left, and how a batch of actions shares an attempt. */
import type { Attempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { createKey } from '@tandem/keys/keyring.ts'
import { type ExampleOrder, factsOf, normalTimes } from '@tandem/protocol/example-order.fixture.ts'
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { deriveOrder, type OrderFacts } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { leaseAction, syncWanted } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder } from '../store/store.fixture.ts'
import { createMemoryChain } from './chain.fixture.ts'
import { freshEngine, registry } from './engine.fixture.ts'
import { createFreshFacts, type FactsAge } from './fresh-facts.ts'
import { afterRecord, openOutbox, secondsLeft, type Taken } from './outbox.ts'
import type { Step } from './party.ts'

const age = (): FactsAge => ({ asOfMs: performance.now(), goodForMs: 2_000 })
const bitcoin = createMemoryChain('bitcoin_regtest', NOW)
const ethereum = createMemoryChain('ethereum_localnet', NOW)

function stepOf(facts: OrderFacts, verb: HtlcVerb, leg: Leg): Step {
  return { state: deriveOrder(facts), verb, leg, client: leg === 'source' ? bitcoin : ethereum, asOfMs: 0, goodForMs: 0, evidence: null }
}

/** The source's age is in blocks, the destination's in seconds. */
function aged(facts: OrderFacts, { source, destination }: Readonly<Record<Leg, bigint>>): OrderFacts {
  return {
    ...facts,
    events: {
      source: facts.events.source.map((event) =>
        event.block === null ? event : { ...event, block: { ...event.block, height: facts.tips.source.height + 1n - source } },
      ),
      destination: facts.events.destination.map((event) =>
        event.block === null ? event : { ...event, block: { ...event.block, time: facts.tips.destination.time - destination } },
      ),
    },
  }
}

describe('the time left', () => {
  const ages = { source: 150n, destination: 100n }
  const left = (verb: HtlcVerb, leg: Leg, example: ExampleOrder, more: Partial<OrderFacts> = {}) =>
    secondsLeft(registry, stepOf({ ...aged(factsOf(example), ages), ...more }, verb, leg))
  const { source, destination } = factsOf(normalTimes('waiting', 'waiting')).order
  // At its fastest the chain needs two seconds for a block. The destination counts seconds.
  const sourceSeconds = (source.terms.timelock - ages.source) * 2n
  const destinationSeconds = destination.terms.timelock - ages.destination

  test('to redeem: until the timelock of that leg ends', () => {
    expect(left('redeem', 'source', normalTimes('initiated', 'redeemed'))).toBe(sourceSeconds)
    expect(left('redeem', 'destination', normalTimes('initiated', 'initiated'))).toBe(destinationSeconds)
  })

  test('to redeem an unmined deposit: none', () => {
    const facts = factsOf(normalTimes('initiated', 'redeemed'))
    const unmined = facts.events.source.map((event) => ({ ...event, block: null }))
    expect(left('redeem', 'source', normalTimes('initiated', 'redeemed'), { events: { ...facts.events, source: unmined } })).toBe(0n)
  })

  test('to redeem several deposits: until the first unspent one expires', () => {
    const facts = aged(factsOf(normalTimes('initiated', 'redeemed')), ages)
    const [newer] = facts.events.source
    if (newer?.kind !== 'initiated' || newer.block === null) throw new Error('expected a mined deposit')
    const older = { ...newer, tx: 'older', deposit: 'older', block: { ...newer.block, height: newer.block.height - 10n } }
    const fill = { deposits: ['older', newer.deposit], blockHash: '', destinationAmount: 200n, signature: '00' }
    const both = { fill, events: { ...facts.events, source: [newer, older] } }
    expect(left('redeem', 'source', normalTimes('initiated', 'redeemed'), both)).toBe(sourceSeconds - 20n)
    const spent = { ...older, kind: 'redeemed' as const, tx: 'redeem of older', secret: null, block: newer.block }
    const one = { fill, events: { ...facts.events, source: [newer, older, spent] } }
    expect(left('redeem', 'source', normalTimes('initiated', 'redeemed'), one)).toBe(sourceSeconds)
  })

  test('for the solver to initiate: while the source outlives the destination', () => {
    const example = normalTimes('initiated', 'waiting')
    expect(left('initiate', 'destination', example)).toBe(deriveOrder(aged(factsOf(example), ages)).gapSeconds)
  })

  test('to relay an initiation: until the deadline', () => {
    const facts = factsOf(normalTimes('waiting', 'waiting'))
    expect(left('initiate', 'source', normalTimes('waiting', 'waiting'))).toBe(facts.order.deadline - facts.now)
  })

  test('to refund the source: no limit', () => {
    expect(left('refund', 'source', { ...normalTimes('initiated', 'waiting'), sourceExpired: true })).toBeNull()
  })

  test('to refund the destination: until the source expires, because a redeem can still reveal the secret', () => {
    expect(left('refund', 'destination', { ...normalTimes('initiated', 'initiated'), destinationExpired: true })).toBe(sourceSeconds)
  })

  test('to refund the destination without a source deposit: no limit', () => {
    expect(left('refund', 'destination', { ...normalTimes('waiting', 'initiated'), destinationExpired: true })).toBeNull()
  })
})

describe('a batch of actions', () => {
  const store = sharedStore()
  const fixture = freshEngine(store)

  async function take(verb: HtlcVerb, leg: Leg, facts: readonly [OrderFacts, OrderFacts]): Promise<readonly [Taken, Taken]> {
    const { order } = await putOrder(store.db)
    const ids = [fixture.order.id, order.id]
    await syncWanted(
      store.db,
      ids,
      ids.map((orderId) => ({ orderId, leg, verb })),
    )
    const takeOne = async (of: OrderFacts): Promise<Taken> => {
      const action = await leaseAction(store.db, 'engine', 60)
      if (action === null) throw new Error('nothing to lease')
      return { action, step: stepOf(of, verb, leg), attempts: [] }
    }
    return [await takeOne(facts[0]), await takeOne(facts[1])]
  }
  const withAttempts = async (taken: Taken): Promise<Taken> => ({ ...taken, attempts: await readAttempts(store.db, taken.action.key) })
  const open = async ([first, ...others]: readonly [Taken, ...Taken[]], role: 'solver' | 'service' = 'solver') =>
    openOutbox(
      fixture.context(role),
      first.step.verb,
      [await withAttempts(first), ...(await Promise.all(others.map(withAttempts)))],
      createFreshFacts(age(), async () => age()),
    )
  const record = (outbox: Outbox, attempt: Omit<Attempt, 'at'>) => outbox.withKey((held) => held.record(attempt))
  const redeem = (source: bigint) => aged(factsOf(normalTimes('initiated', 'redeemed')), { source, destination: 0n })

  test.each([
    { name: 'the first', ages: [50n, 20n] as const },
    { name: 'the second', ages: [20n, 50n] as const },
  ])('has the shortest time left: that of $name', async ({ ages }) => {
    const [older, newer] = [redeem(ages[0]), redeem(ages[1])]
    const { timelock } = older.order.source.terms
    const taken = await take('redeem', 'source', [older, newer])
    expect((await open(taken)).secondsLeft).toBe((timelock - 50n) * 2n)
  })

  test('ignores actions without a time limit', async () => {
    const alone = { ...normalTimes('waiting', 'initiated'), destinationExpired: true }
    const pressed = { ...normalTimes('initiated', 'initiated'), destinationExpired: true }
    const facts = [alone, pressed].map((example) => aged(factsOf(example), { source: 20n, destination: 1000n }))
    const [never, some] = facts
    if (never === undefined || some === undefined) throw new Error('expected both')
    const [first, second] = await take('refund', 'destination', [never, some])
    expect((await open([first, second])).secondsLeft).toBe((some.order.source.terms.timelock - 20n) * 2n)
    expect((await open([second, first])).secondsLeft).toBe((some.order.source.terms.timelock - 20n) * 2n)
    expect((await open([first])).secondsLeft).toBeNull()
  })

  test("shares its attempts: each is recorded for all actions, and none is another action's", async () => {
    const [first, second] = await take('redeem', 'source', [redeem(1n), redeem(1n)])
    const together = await open([first, second])
    await record(together, { tx: 'a', raw: 'raw a', slots: ['1'], feeRate: 7n })
    const alone = await open([first])
    await record(alone, { tx: 'b', raw: 'raw b', slots: ['2'], feeRate: 8n })
    for (const [taken, txs] of [[first, ['a', 'b']] as const, [second, ['a']] as const])
      expect((await readAttempts(store.db, taken.action.key)).map(({ tx }) => tx)).toEqual(txs)
    const again = await open([second, first])
    expect(again.attempts).toMatchObject([
      { tx: 'a', raw: 'raw a', slots: ['1'], feeRate: 7n, at: NOW },
      { tx: 'b', raw: 'raw b', slots: ['2'], feeRate: 8n, at: NOW },
    ])
    expect(await again.readOthers()).toEqual([])
    expect((await (await open([second])).readOthers()).map(({ tx }) => tx)).toContain('b')
  })

  test('signs for the orders, legs, verbs and terms of all actions', async () => {
    const [first, second] = await take('redeem', 'source', [redeem(1n), redeem(1n)])
    const outbox = await open([first, second])
    const signer = await outbox.withKey(async (held) => held.signer)
    const { chain, terms } = first.step.state.order.source
    const action = { order: first.step.state.order.id, leg: 'source', verb: 'redeem', terms }
    expect(signer.purpose).toEqual({ kind: 'order', chain, actions: [action, { ...action, order: second.step.state.order.id }] })
  })

  test("signs for the address of the user that is paid in the user's place", async () => {
    const [first] = await take('redeem', 'destination', [redeem(1n), redeem(1n)])
    const context = fixture.context('service')
    const party = { ...context.party, payoutAddress: () => 'an address' }
    const facts = createFreshFacts(age(), async () => age())
    const outbox = await openOutbox({ ...context, party }, 'redeem', [await withAttempts(first)], facts)
    const { purpose } = await outbox.withKey(async (held) => held.signer)
    expect(purpose).toMatchObject({ actions: [{ verb: 'redeem', to: 'an address' }] })
  })

  test('records nothing when another engine has taken over one action', async () => {
    const [first, second] = await take('redeem', 'source', [redeem(1n), redeem(1n)])
    const outbox = await open([first, second])
    await sql`update actions set fence = fence + 1 where key = ${second.action.key}`.execute(store.db)
    await expect(record(outbox, { tx: 'a', raw: '', slots: [], feeRate: 1n })).rejects.toMatchObject({ kind: 'superseded' })
    expect(await readAttempts(store.db, first.action.key, second.action.key)).toEqual([])
  })

  test("a sponsor's coins are claimed under its own key, which other actions of that key see", async () => {
    const [first, second] = await take('redeem', 'destination', [redeem(1n), redeem(1n)])
    const sponsor = { key: createKey('secp256k1', '07'.repeat(32)), charge: async () => true }
    const sponsored = async (taken: Taken) => {
      const context = fixture.context('service')
      const party = { ...context.party, sponsorFor: () => sponsor }
      const facts = createFreshFacts(age(), async () => age())
      const outbox = await openOutbox({ ...context, party }, 'redeem', [await withAttempts(taken)], facts)
      if (outbox.sponsor === undefined) throw new Error('there is no sponsor')
      return { outbox, sponsor: outbox.sponsor }
    }
    const one = await sponsored(first)
    const hooked: string[] = []
    const watched = afterRecord(one.outbox, ({ tx }) => {
      hooked.push(tx)
    })
    await watched.sponsor?.withKey(async (held) => {
      expect(held.sponsor?.publicKey).toEqual(sponsor.key.publicKey)
      expect(held.signer.publicKey).toEqual(one.outbox.key.publicKey)
      await held.record({ tx: 's', raw: 'raw', slots: ['deposit', 'coin'], feeRate: 1n })
    })
    expect(hooked).toEqual(['s'])
    expect((await findOrder(store.db, first.action.orderId))?.secretSigned).toBe(true)
    const two = await sponsored(second)
    expect(await two.outbox.readOthers()).toEqual([])
    const others = await two.sponsor.withKey((held) => held.readOthers())
    expect(others).toMatchObject([{ tx: 's', slots: ['deposit', 'coin'], wanted: true }])
  })

  test.each([
    { role: 'service', verb: 'redeem', leg: 'destination', signed: true },
    { role: 'service', verb: 'refund', leg: 'destination', signed: false },
    { role: 'solver', verb: 'redeem', leg: 'source', signed: false },
  ] as const)('marks the secret as signed only when the service redeems: $role $verb', async ({ role, verb, leg, signed }) => {
    const taken = await take(verb, leg, [redeem(1n), redeem(1n)])
    await record(await open(taken, role), { tx: 'a', raw: '', slots: [], feeRate: 1n })
    for (const { action } of taken) expect((await findOrder(store.db, action.orderId))?.secretSigned).toBe(signed)
  })
})
