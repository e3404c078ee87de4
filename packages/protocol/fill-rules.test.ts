/** The service proposes fills, and the solver has every reason here not to sign one. */
import { describe, expect, it } from 'vitest'
import { factsOf, normalTimes } from './example-order.fixture.ts'
import type { Fill } from './fill.ts'
import { type FillLimits, judgeFill, proposeFill } from './fill-rules.ts'
import type { HtlcEvent } from './htlc.ts'
import { deriveOrder, type OrderFacts } from './state.ts'

const limits: FillLimits = { minAmount: 1n, maxAmount: 1000n, maxNow: null }
const asked: OrderFacts = { ...factsOf(normalTimes('initiated', 'waiting')), fill: null }
const fill: Fill = { deposits: ['deposit'], blockHash: 'deposit', destinationAmount: 100n }

/** This adds the example deposit again under another name, changed. */
function another(id: string, amount: bigint, change: Partial<HtlcEvent> = {}): HtlcEvent {
  const [first] = asked.events.source
  if (first?.kind !== 'initiated') throw new Error('expected a deposit')
  return { ...first, tx: id, deposit: id, amount, ...change } as HtlcEvent
}
const withDeposits = (...source: readonly HtlcEvent[]): OrderFacts => ({ ...asked, events: { ...asked.events, source } })

describe('the service', () => {
  it('proposes the deposits and the amount they are worth', () => {
    expect(proposeFill(deriveOrder(asked))).toEqual(fill)
    const nearly = withDeposits(another('a', 49n), another('b', 50n))
    expect(proposeFill(deriveOrder(nearly))).toEqual({ deposits: ['a', 'b'], blockHash: 'deposit', destinationAmount: 99n })
  })

  it.each<readonly [string, OrderFacts]>([
    ['there is no deposit', { ...factsOf(normalTimes('waiting', 'waiting')), fill: null }],
    ['the deposit is below the required confirmations', { ...factsOf(normalTimes('seen', 'waiting')), fill: null }],
    ['the deposit is too small', { ...factsOf(normalTimes('mismatched', 'waiting')), fill: null }],
    [
      'the deposit was mined after the deadline',
      { ...factsOf({ ...normalTimes('initiated', 'waiting'), fundedLate: true, deadlinePassed: true }), fill: null },
    ],
    ['an instant refund is signed', { ...factsOf({ ...normalTimes('initiated', 'waiting'), instantRefundSigned: true }), fill: null }],
    ['the solver declined', { ...asked, declined: 'no' }],
    ['the fill is signed already', { ...asked, fill: { ...fill, signature: '00' } }],
  ])('proposes nothing when %s', (_, facts) => {
    expect(proposeFill(deriveOrder(facts))).toBeNull()
  })
})

describe('the solver', () => {
  it('signs the fill that it would propose itself', () => {
    expect(judgeFill(asked, fill, limits)).toEqual({ kind: 'sign' })
  })

  it('signs a sum within the tolerance, for an amount in proportion', () => {
    const facts = withDeposits(another('a', 49n), another('b', 50n))
    expect(judgeFill(facts, { ...fill, deposits: ['a', 'b'], destinationAmount: 99n }, limits)).toEqual({ kind: 'sign' })
  })

  it.each<readonly [string, OrderFacts, Partial<Fill>, Partial<FillLimits>, string]>([
    ['it sees no deposit', withDeposits(), {}, {}, 'wait'],
    ['it sees one of two deposits', withDeposits(another('a', 50n)), { deposits: ['a', 'b'] }, {}, 'wait'],
    ['it sees too few confirmations', { ...factsOf(normalTimes('seen', 'waiting')), fill: null }, {}, {}, 'wait'],
    ['a chain has halted', { ...asked, now: asked.now + 100_000n }, {}, {}, 'wait'],
    ['a deposit is named twice', asked, { deposits: ['deposit', 'deposit'] }, {}, 'reject'],
    ['no deposit is named', asked, { deposits: [] }, {}, 'reject'],
    [
      'there are too many deposits',
      withDeposits(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => another(id, 16n))),
      { deposits: ['a', 'b', 'c', 'd', 'e', 'f'], destinationAmount: 96n },
      {},
      'reject',
    ],
    ['the amount is more than the deposit is worth', asked, { destinationAmount: 101n }, {}, 'reject'],
    ['the amount is less than the deposit is worth', asked, { destinationAmount: 99n }, {}, 'reject'],
    ['the deposit is too small', withDeposits(another('a', 96n)), { deposits: ['a'], destinationAmount: 96n }, {}, 'reject'],
    ['the deposit is too large', withDeposits(another('a', 104n)), { deposits: ['a'], destinationAmount: 104n }, {}, 'reject'],
    ['dust is among the deposits', withDeposits(another('a', 99n), another('b', 1n)), { deposits: ['a', 'b'] }, {}, 'reject'],
    ['the deposit is spent', { ...factsOf(normalTimes('refunding', 'waiting')), fill: null }, {}, {}, 'decline'],
    [
      'the deposit was mined after the deadline',
      { ...factsOf({ ...normalTimes('initiated', 'waiting'), fundedLate: true, deadlinePassed: true }), fill: null },
      {},
      {},
      'decline',
    ],
    [
      'too little of its timelock is left',
      { ...factsOf({ ...normalTimes('initiated', 'waiting'), sourceExpired: true }), fill: null },
      {},
      {},
      'decline',
    ],
    [
      'it has signed an instant refund',
      { ...factsOf({ ...normalTimes('initiated', 'waiting'), instantRefundSigned: true }), fill: null },
      {},
      {},
      'decline',
    ],
    ['the amount is below the minimum', asked, {}, { minAmount: 101n }, 'decline'],
    ['the amount is above the maximum', asked, {}, { maxAmount: 99n }, 'decline'],
    ['the price has moved', asked, {}, { maxNow: 99n }, 'decline'],
  ])('does not sign when %s', (_, facts, differently, bounds, kind) => {
    const judgement = judgeFill(facts, { ...fill, ...differently }, { ...limits, ...bounds })
    expect(judgement).toEqual({ kind, why: expect.stringMatching(/\S/) })
  })
})
