/** What the service proposes to be paid for, and everything that speaks against the solver's signing it. */
import { describe, expect, it } from 'vitest'
import { factsOf, normalTimes } from './example-order.fixture.ts'
import type { Fill } from './fill.ts'
import { type FillLimits, judgeFill, proposeFill } from './fill-rules.ts'
import type { HtlcEvent } from './htlc.ts'
import { deriveOrder, type OrderFacts } from './state.ts'

const limits: FillLimits = { minAmount: 1n, maxAmount: 1000n, mostNow: null }
const asked: OrderFacts = { ...factsOf(normalTimes('initiated', 'waiting')), fill: null }
const fill: Fill = { deposits: ['deposit'], blockHash: 'deposit', destinationAmount: 100n }

/** The example deposit again under another name, changed. */
function another(id: string, amount: bigint, change: Partial<HtlcEvent> = {}): HtlcEvent {
  const [first] = asked.events.source
  if (first?.kind !== 'initiated') throw new Error('expected a deposit')
  return { ...first, tx: id, deposit: id, amount, ...change } as HtlcEvent
}
const withDeposits = (...source: readonly HtlcEvent[]): OrderFacts => ({ ...asked, events: { ...asked.events, source } })

describe('the service', () => {
  it('proposes what is there, with what it is worth', () => {
    expect(proposeFill(deriveOrder(asked))).toEqual(fill)
    const nearly = withDeposits(another('a', 49n), another('b', 50n))
    expect(proposeFill(deriveOrder(nearly))).toEqual({ deposits: ['a', 'b'], blockHash: 'deposit', destinationAmount: 99n })
  })

  it.each<readonly [string, OrderFacts]>([
    ['nothing is there', { ...factsOf(normalTimes('waiting', 'waiting')), fill: null }],
    ['it is below its confirmations', { ...factsOf(normalTimes('seen', 'waiting')), fill: null }],
    ['it is too little', { ...factsOf(normalTimes('mismatched', 'waiting')), fill: null }],
    ['it came too late', { ...factsOf({ ...normalTimes('initiated', 'waiting'), fundedLate: true, deadlinePassed: true }), fill: null }],
    ['it is given back', { ...factsOf({ ...normalTimes('initiated', 'waiting'), givenBack: true }), fill: null }],
    ['the solver declined', { ...asked, declined: 'no' }],
    ['it is signed', { ...asked, fill: { ...fill, signature: '00' } }],
  ])('proposes nothing when %s', (_, facts) => {
    expect(proposeFill(deriveOrder(facts))).toBeNull()
  })
})

describe('the solver', () => {
  it('signs what it would propose itself', () => {
    expect(judgeFill(asked, fill, limits)).toEqual({ kind: 'sign' })
  })

  it('signs a sum that is about right for what it is worth', () => {
    const facts = withDeposits(another('a', 49n), another('b', 50n))
    expect(judgeFill(facts, { ...fill, deposits: ['a', 'b'], destinationAmount: 99n }, limits)).toEqual({ kind: 'sign' })
  })

  it.each<readonly [string, OrderFacts, Partial<Fill>, Partial<FillLimits>, string]>([
    ['it sees nothing of it', withDeposits(), {}, {}, 'wait'],
    ['it sees one of two', withDeposits(another('a', 50n)), { deposits: ['a', 'b'] }, {}, 'wait'],
    ['it sees too few confirmations', { ...factsOf(normalTimes('seen', 'waiting')), fill: null }, {}, {}, 'wait'],
    ['a chain stands still', { ...asked, now: asked.now + 100_000n }, {}, {}, 'wait'],
    ['it is named twice', asked, { deposits: ['deposit', 'deposit'] }, {}, 'decline'],
    ['it is nothing', asked, { deposits: [] }, {}, 'decline'],
    [
      'it is in too many pieces',
      withDeposits(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => another(id, 16n))),
      { deposits: ['a', 'b', 'c', 'd', 'e', 'f'], destinationAmount: 96n },
      {},
      'decline',
    ],
    ['more is asked for than it is worth', asked, { destinationAmount: 101n }, {}, 'decline'],
    ['less is asked for than it is worth', asked, { destinationAmount: 99n }, {}, 'decline'],
    ['it is too little', withDeposits(another('a', 96n)), { deposits: ['a'], destinationAmount: 96n }, {}, 'decline'],
    ['it is too much', withDeposits(another('a', 104n)), { deposits: ['a'], destinationAmount: 104n }, {}, 'decline'],
    ['a crumb is among it', withDeposits(another('a', 99n), another('b', 1n)), { deposits: ['a', 'b'] }, {}, 'decline'],
    ['it is spent', { ...factsOf(normalTimes('refunding', 'waiting')), fill: null }, {}, {}, 'decline'],
    [
      'it came too late',
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
    ['it signed it back', { ...factsOf({ ...normalTimes('initiated', 'waiting'), givenBack: true }), fill: null }, {}, {}, 'decline'],
    ['it is below the least amount', asked, {}, { minAmount: 101n }, 'decline'],
    ['it is above the most', asked, {}, { maxAmount: 99n }, 'decline'],
    ['the price has moved', asked, {}, { mostNow: 99n }, 'decline'],
  ])('does not sign when %s', (_, facts, differently, bounds, kind) => {
    const judgement = judgeFill(facts, { ...fill, ...differently }, { ...limits, ...bounds })
    expect(judgement).toEqual({ kind, why: expect.stringMatching(/\S/) })
  })
})
