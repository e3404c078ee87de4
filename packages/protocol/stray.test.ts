/** The solver does not pay for stray deposits: they can be refunded at any time and do not hold up the order. */
import { describe, expect, it } from 'vitest'
import { type ExampleOrder, factsOf, normalTimes } from './example-order.fixture.ts'
import type { HtlcEvent } from './htlc.ts'
import type { Grant } from './order.ts'
import {
  awaitsFill,
  depositsToRefundInstantly,
  instantRefunds,
  mayRefundInstantly,
  maySignInstantRefund,
  playbook,
  refundable,
} from './playbook.ts'
import { deriveOrder, hasSignedInstantRefund, isClosed, LATE_DEPOSIT_WATCH_SECONDS, type OrderFacts } from './state.ts'

const refundOf = (deposit: string): Grant => ({
  kind: 'instant-refund',
  leg: 'source',
  refunds: [{ deposit, amount: 100n, to: 'user', pays: 99n, signature: '00' }],
  transaction: null,
})

/** The example has one more deposit, in the block of the first. */
function withStray(example: ExampleOrder, change: Partial<OrderFacts> = {}, amount = 100n): OrderFacts {
  const facts = factsOf(example)
  const [first] = facts.events.source
  if (first?.kind !== 'initiated') throw new Error('expected a deposit')
  const stray: HtlcEvent = { ...first, tx: 'stray', deposit: 'stray', amount }
  return { ...facts, ...change, events: { ...facts.events, source: [...facts.events.source, stray] } }
}

function finalAtOnce(facts: OrderFacts): OrderFacts {
  const { source, destination } = facts.chains
  return { ...facts, chains: { source: { ...source, finalityBlocks: 1 }, destination: { ...destination, finalityBlocks: 1 } } }
}

const wanted = (facts: OrderFacts) => {
  const state = deriveOrder(facts)
  return playbook.filter((rule) => rule.holds(state)).map((rule) => `${rule.who} ${rule.verb} ${rule.leg}`)
}
const idsToRefundInstantly = (facts: OrderFacts) => depositsToRefundInstantly(deriveOrder(facts)).map(({ id }) => id)

describe('a stray deposit', () => {
  it.each(['waiting', 'seen', 'initiated', 'redeeming', 'redeemed', 'refunding', 'refunded'] as const)(
    'is to be refunded while the destination is %s',
    (destination) => {
      expect(idsToRefundInstantly(withStray(normalTimes('initiated', destination)))).toContain('stray')
    },
  )

  it('may be refunded with the secret out; a deposit that pays for the order may not', () => {
    const state = deriveOrder(withStray(normalTimes('initiated', 'redeeming')))
    expect([mayRefundInstantly(state, 'stray'), mayRefundInstantly(state, 'deposit')]).toEqual([true, false])
    expect([maySignInstantRefund(state, 'stray'), maySignInstantRefund(state, 'deposit')]).toEqual([true, false])
  })

  it('unlike it, a deposit that pays for the order waits until the refund of the destination is final', () => {
    const facts = finalAtOnce(factsOf(normalTimes('initiated', 'refunded')))
    const saying = (finalHeight: bigint) => ({ ...facts.tips, destination: { ...facts.tips.destination, finalHeight } })
    const maySign = (changed: OrderFacts) => maySignInstantRefund(deriveOrder(changed), 'deposit')
    expect(maySign(facts)).toBe(true)
    expect(maySign(factsOf(normalTimes('initiated', 'refunded')))).toBe(false)
    expect(maySign({ ...facts, tips: saying(facts.tips.destination.height - 1n) })).toBe(false)
    expect(maySign({ ...facts, tips: saying(facts.tips.destination.height) })).toBe(true)
  })

  it('is refunded as signed, and the solver still pays', () => {
    const facts = withStray(normalTimes('initiated', 'waiting'), { grants: [refundOf('stray')] })
    expect(hasSignedInstantRefund(deriveOrder(facts))).toBe(false)
    expect(instantRefunds(deriveOrder(facts)).map(({ deposit }) => deposit)).toEqual(['stray'])
    expect(wanted(facts)).toEqual(['solver initiate destination', 'service refund source'])
  })

  it('does not change the status of an order that completes', () => {
    for (const destination of ['waiting', 'initiated', 'redeemed'] as const) {
      const example = normalTimes('initiated', destination)
      expect(deriveOrder(withStray(example)).status).toBe(deriveOrder(factsOf(example)).status)
    }
  })

  it('keeps the order open until its spend is final', () => {
    const example = { ...normalTimes('redeemed', 'redeemed'), deadlinePassed: true }
    expect(isClosed(deriveOrder(finalAtOnce(factsOf(example))))).toBe(true)
    expect(isClosed(deriveOrder(finalAtOnce(withStray(example))))).toBe(false)
  })
})

describe('before the solver has signed', () => {
  const unsigned = (signature: string | null) =>
    withStray(normalTimes('initiated', 'waiting'), {
      fill: signature === null ? null : { deposits: ['deposit'], blockHash: '', destinationAmount: 100n, signature: null },
    })

  it.each([null, 'proposed'])('no deposit is stray, and an order that may complete keeps all of them (%s)', (signature) => {
    expect(idsToRefundInstantly(unsigned(signature))).toEqual([])
  })

  it('a solver that signed an instant refund of one deposit pays for none', () => {
    const facts = { ...unsigned(null), grants: [refundOf('stray')] }
    expect(hasSignedInstantRefund(deriveOrder(facts))).toBe(true)
    expect(awaitsFill(deriveOrder(facts))).toBe(false)
    expect(wanted(facts)).not.toContain('solver initiate destination')
  })

  it('the solver does not pay and the service does not show the secret', () => {
    for (const fill of [null, { deposits: ['deposit'], blockHash: '', destinationAmount: 100n, signature: null }]) {
      expect(wanted({ ...factsOf(normalTimes('initiated', 'waiting')), fill })).toEqual([])
      expect(wanted({ ...factsOf(normalTimes('initiated', 'initiated')), fill })).toEqual([])
    }
  })
})

describe('a fill signature for something else', () => {
  it.each([
    ['other deposits', { deposits: ['other'], blockHash: '', destinationAmount: 100n, signature: '00' }],
    ['more deposits', { deposits: ['deposit', 'other'], blockHash: '', destinationAmount: 100n, signature: '00' }],
    ['another amount', { deposits: ['deposit'], blockHash: '', destinationAmount: 99n, signature: '00' }],
  ])('(%s) neither makes the solver pay nor the service reveal', (_, fill) => {
    expect(wanted({ ...factsOf(normalTimes('initiated', 'waiting')), fill })).not.toContain('solver initiate destination')
    expect(wanted({ ...factsOf(normalTimes('initiated', 'initiated')), fill })).not.toContain('service redeem destination')
  })

  it('the secret is not shown for a destination amount that does not match the deposits', () => {
    const facts = factsOf(normalTimes('initiated', 'initiated'))
    const { destination } = facts.order
    const order = { ...facts.order, destination: { ...destination, agreedAmount: 200n } }
    expect(wanted({ ...facts, order })).not.toContain('service redeem destination')
  })
})

describe('a declined fill', () => {
  const declined = { ...factsOf(normalTimes('initiated', 'waiting')), fill: null, declined: 'the price has moved' }

  it('makes the order await its refund, which starts automatically', () => {
    expect(deriveOrder(declined).status).toBe('awaiting_refund')
    expect(idsToRefundInstantly(declined)).toEqual(['deposit'])
  })

  it('is ignored if the solver has paid anyway', () => {
    const facts = { ...factsOf(normalTimes('initiated', 'initiated')), declined: 'no' }
    expect(deriveOrder(facts).status).toBe('counterparty_initiated')
  })
})

describe('a deposit that is not worth its refund', () => {
  const small = { hopelessBelow: 10n, smallBelow: 50n, writeOffAfterUnits: 5n }
  const deposits = { kind: 'partial', toleranceBips: 300, small } as const
  const expired = (amount: bigint, more: ExampleOrder = { ...normalTimes('initiated', 'waiting'), sourceExpired: true }) => {
    const facts = withStray(more, {}, amount)
    return { ...facts, chains: { ...facts.chains, source: { ...facts.chains.source, deposits } } }
  }
  const later = (facts: OrderFacts, blocks: bigint): OrderFacts => ({
    ...facts,
    tips: { ...facts.tips, source: { ...facts.tips.source, height: facts.tips.source.height + blocks } },
  })
  const refunded = (facts: OrderFacts) => refundable(deriveOrder(facts), 'source').map(({ id }) => id)

  it.each([
    ['below the refund fee: written off at once', expired(9n), ['deposit']],
    ['small: refunded at first', expired(49n), ['deposit', 'stray']],
    ['small: written off long after its expiry', later(expired(49n), 6n), ['deposit']],
    ['large: never written off', later(expired(50n), 1_000_000n), ['deposit', 'stray']],
  ])('%s', (_, facts, ids) => {
    expect(refunded(facts).toSorted()).toEqual(ids)
  })

  it('does not keep the order open', () => {
    const example = { ...normalTimes('redeemed', 'redeemed'), deadlinePassed: true }
    expect(isClosed(deriveOrder(finalAtOnce(expired(9n, example))))).toBe(true)
    expect(isClosed(deriveOrder(finalAtOnce(expired(49n, example))))).toBe(false)
  })

  it('does not end an order that can still be funded', () => {
    const facts = factsOf(normalTimes('mismatched', 'waiting'))
    const dust = facts.events.source.map((event) => (event.kind === 'initiated' ? { ...event, amount: 9n } : event))
    const chains = { ...facts.chains, source: { ...facts.chains.source, deposits } }
    const state = deriveOrder({ ...facts, chains, events: { ...facts.events, source: dust } })
    expect(state.source.deposits.every(({ writtenOff }) => writtenOff)).toBe(true)
    expect(isClosed(state)).toBe(false)
    const weekLater = state.order.deadline + LATE_DEPOSIT_WATCH_SECONDS + 1n
    expect(isClosed({ ...state, now: weekLater })).toBe(true)
  })
})
