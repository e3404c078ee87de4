/** Tests the status and the times of an order for every pair of phases. */
import { describe, expect, it } from 'vitest'
import { type ExampleOrder, factsOf, normalTimes } from './example-order.fixture.ts'
import { prefundedGrant } from './grants.fixture.ts'
import { maySolverPay } from './playbook.ts'
import { deriveOrder, isClosed, isExpired, type OrderFacts, orderStatuses, statusTable } from './state.ts'
import { phases } from './swap-state.ts'

const derive = (example: ExampleOrder, differently: Partial<OrderFacts> = {}) => deriveOrder({ ...factsOf(example), ...differently })
const finalAfter = (finalityBlocks: number, { chains }: OrderFacts): OrderFacts['chains'] => ({
  source: { ...chains.source, finalityBlocks },
  destination: { ...chains.destination, finalityBlocks },
})
const withSource = (
  facts: OrderFacts,
  change: (event: OrderFacts['events']['source'][number]) => OrderFacts['events']['source'][number],
): OrderFacts => ({
  ...facts,
  events: { ...facts.events, source: facts.events.source.map(change) },
})

describe('the status', () => {
  it.each([
    ['created', normalTimes('waiting', 'waiting')],
    ['expired', { ...normalTimes('waiting', 'waiting'), deadlinePassed: true }],
    ['initiate_detected', normalTimes('seen', 'waiting')],
    ['initiate_detected', normalTimes('mismatched', 'waiting')],
    ['initiated', normalTimes('initiated', 'waiting')],
    ['counterparty_initiate_detected', normalTimes('initiated', 'seen')],
    ['counterparty_initiated', normalTimes('initiated', 'initiated')],
    ['counterparty_initiated', { ...normalTimes('initiated', 'initiated'), deadlinePassed: true }],
    ['redeem_detected', normalTimes('initiated', 'redeeming')],
    ['redeemed', normalTimes('initiated', 'redeemed')],
    ['redeemed', normalTimes('redeeming', 'redeemed')],
    ['counterparty_redeemed', normalTimes('redeemed', 'redeemed')],
    // The party's node of the destination is behind that of the source.
    ['counterparty_initiated', normalTimes('redeemed', 'initiated')],
    ['counterparty_initiated', { ...normalTimes('redeemed', 'initiated'), sourceExpired: true }],
    ['redeem_detected', normalTimes('redeemed', 'redeeming')],
    ['awaiting_refund', { ...normalTimes('mismatched', 'waiting'), deadlinePassed: true }],
    ['awaiting_refund', { ...normalTimes('initiated', 'waiting'), deadlinePassed: true, fundedLate: true }],
    ['awaiting_refund', { ...normalTimes('initiated', 'waiting'), sourceExpired: true }],
    ['awaiting_refund', normalTimes('initiated', 'refunding')],
    ['awaiting_refund', normalTimes('initiated', 'refunded')],
    ['awaiting_refund', { ...normalTimes('mismatched', 'waiting'), instantRefundSigned: true }],
    ['awaiting_refund', { ...normalTimes('initiated', 'waiting'), instantRefundSigned: true }],
    // The solver paid nevertheless: that completes the order.
    ['counterparty_initiated', { ...normalTimes('initiated', 'initiated'), instantRefundSigned: true }],
    ['refund_detected', normalTimes('refunding', 'refunded')],
    ['refunded', normalTimes('refunded', 'refunded')],
    // A payout outranks a refund.
    ['redeemed', normalTimes('refunded', 'redeemed')],
  ] as const)('is %s in %o', (status, example) => {
    expect(derive(example).status).toBe(status)
  })

  it('tells of the destination deposit only when a source deposit is known: the chains are read apart', () => {
    expect(derive(normalTimes('waiting', 'seen')).status).toBe('created')
    expect(derive(normalTimes('waiting', 'initiated')).status).toBe('created')
    expect(derive(normalTimes('seen', 'initiated')).status).toBe('counterparty_initiated')
    // What is paid out is never hidden.
    expect(derive(normalTimes('waiting', 'redeeming')).status).toBe('redeem_detected')
    expect(derive(normalTimes('waiting', 'redeemed')).status).toBe('redeemed')
  })

  it('has a row for each value, and a value for each pair of phases', () => {
    expect(statusTable.map((row) => row.status).toSorted()).toEqual([...orderStatuses].toSorted())
    for (const source of phases) {
      for (const destination of phases) expect(orderStatuses).toContain(derive(normalTimes(source, destination)).status)
    }
  })

  it('of an order that completes ignores expired dust', () => {
    const facts = factsOf(normalTimes('initiated', 'initiated'))
    const [deposit] = facts.events.source
    if (deposit === undefined || deposit.block === null || deposit.kind !== 'initiated') throw new Error('expected a mined deposit')
    const dust = { ...deposit, tx: 'dust', deposit: 'dust', amount: 1n, block: { ...deposit.block, height: 1n } }
    const state = deriveOrder({ ...facts, events: { ...facts.events, source: [dust, deposit] } })
    expect(state.source.deposits.map(isExpired)).toEqual([true, false])
    expect(state.status).toBe('counterparty_initiated')
  })
})

describe('times', () => {
  const facts = factsOf(normalTimes('initiated', 'initiated'))
  const later = (seconds: bigint) => deriveOrder({ ...facts, now: facts.now + seconds })

  it('a source counts as funded in time up to the deadline, by the time of its block', () => {
    const minedAt = (time: bigint) =>
      deriveOrder(withSource(facts, (e) => ({ ...e, block: e.block === null ? null : { ...e.block, time } })))
    expect(minedAt(facts.order.deadline).fundedInTime).toBe(true)
    expect(minedAt(facts.order.deadline + 1n).fundedInTime).toBe(false)
    expect(deriveOrder(withSource(facts, (e) => ({ ...e, block: null }))).fundedInTime).toBe(false)
    expect(derive(normalTimes('mismatched', 'waiting')).fundedInTime).toBe(false)
  })

  it('the time left shrinks as the newest block ages, and does not grow if that block is from the future', () => {
    expect(later(100n).gapSeconds).toBe(later(0n).gapSeconds - 100n)
    expect(later(100n).revealSecondsLeft).toBe(later(0n).revealSecondsLeft - 100n)
    expect(later(-100n).gapSeconds).toBe(later(0n).gapSeconds)
    expect(later(-100n).revealSecondsLeft).toBe(later(0n).revealSecondsLeft)
  })

  it('the gap is that of the deposit which expires first', () => {
    const [deposit] = facts.events.source
    if (deposit === undefined || deposit.block === null || deposit.kind !== 'initiated') throw new Error('expected a mined deposit')
    const older = {
      ...deposit,
      amount: 40n,
      tx: 'older',
      deposit: 'older',
      block: { ...deposit.block, height: deposit.block.height - 10n },
    }
    const fill = { deposits: ['older', 'deposit'], blockHash: '', destinationAmount: 100n, signature: '00' }
    const both = deriveOrder({ ...facts, fill, events: { ...facts.events, source: [{ ...deposit, amount: 60n }, older] } })
    expect(both.source.phase).toBe('initiated')
    // The difference is ten blocks of the source chain, each two seconds at its fastest.
    expect(both.gapSeconds).toBe(later(0n).gapSeconds - 20n)
  })

  it('with an absolute expiry, an initiation that is mined late has less time left, and the solver does not pay for it', () => {
    const paid = factsOf(normalTimes('initiated', 'waiting'))
    const chains = {
      ...paid.chains,
      source: { ...paid.chains.source, clock: { ...paid.chains.source.clock, expiry: 'absolute' as const } },
    }
    const now = paid.tips.source.height + 1n
    const expiresAt = now + paid.chains.source.timelocks.source
    /** The deposit was mined this long after the order was made, and is two blocks deep by now. */
    const minedAfter = (blocks: bigint) => {
      const tip = { ...paid.tips.source, height: paid.tips.source.height + blocks }
      const absolute = withSource({ ...paid, chains, tips: { ...paid.tips, source: tip } }, (event) => ({
        ...event,
        ...(event.kind === 'initiated' && { expiresAt }),
        block: event.block && { ...event.block, height: tip.height - 1n },
      }))
      return {
        absolute: deriveOrder(absolute),
        relative: deriveOrder({ ...absolute, chains: paid.chains, events: relativeEvents(absolute) }),
      }
    }
    const relativeEvents = ({ events }: OrderFacts) => ({
      ...events,
      source: events.source.map((event) => (event.kind === 'initiated' ? { ...event, expiresAt: null } : event)),
    })
    expect(maySolverPay(minedAfter(0n).absolute)).toBe(true)
    // Each block is two seconds at its fastest.
    expect(minedAfter(10n).absolute.gapSeconds).toBe(minedAfter(0n).absolute.gapSeconds - 20n)
    const late = minedAfter(paid.chains.source.timelocks.source / 2n)
    expect(late.absolute.source.phase).toBe('initiated')
    expect([maySolverPay(late.relative), maySolverPay(late.absolute)]).toEqual([true, false])
    expect(late.absolute.status).toBe('awaiting_refund')
  })

  it('with an absolute expiry, the solver does not initiate the destination if too little time would be left to reveal the secret', () => {
    const paid = factsOf(normalTimes('initiated', 'waiting'))
    const { destination } = paid.chains
    const absolute = { ...destination, clock: { ...destination.clock, expiry: 'absolute' as const } }
    const gap = (timelock: bigint, age = 0n) => {
      const order = { ...paid.order, destination: { ...paid.order.destination, terms: { ...paid.order.destination.terms, timelock } } }
      const tips = { ...paid.tips, destination: { ...paid.tips.destination, time: paid.now - age } }
      return deriveOrder({ ...paid, order, tips, chains: { ...paid.chains, destination: absolute } }).gapSeconds
    }
    expect(gap(destination.timelocks.destination)).toBe(deriveOrder(paid).gapSeconds)
    expect(gap(destination.timelocks.destination + 3600n)).toBe(deriveOrder(paid).gapSeconds - 3600n)
    const { claimSeconds, reorgSeconds, feeSpikeSeconds } = destination.margins
    const needed = 2n * claimSeconds + reorgSeconds + 2n * feeSpikeSeconds
    expect(gap(needed)).toBe(0n)
    expect(gap(needed + 1n)).toBe(1n)
    expect(gap(needed + 30n, 20n)).toBe(10n)
  })

  it('with an absolute expiry, the whole timelock is left when the solver signs; afterwards the event states the expiry', () => {
    const { destination } = factsOf(normalTimes('initiated', 'waiting')).chains
    const absolute = { ...destination, clock: { ...destination.clock, expiry: 'absolute' as const } }
    const on = (facts: OrderFacts) => deriveOrder({ ...facts, chains: { ...facts.chains, destination: absolute } })
    const unpaid = factsOf(normalTimes('initiated', 'waiting'))
    expect(on(unpaid).gapSeconds).toBe(deriveOrder(unpaid).gapSeconds)
    const paid = factsOf(normalTimes('initiated', 'initiated'))
    const ending = (expiresAt: bigint | null) =>
      on({
        ...paid,
        events: {
          ...paid.events,
          destination: paid.events.destination.map((event) => (event.kind === 'initiated' ? { ...event, expiresAt } : event)),
        },
      }).revealSecondsLeft
    const now = paid.tips.destination.time
    expect(ending(now + 1000n) - ending(now + 400n)).toBe(600n)
    // An event without an expiry leaves no time to reveal.
    expect(ending(null)).toBe(ending(now))
  })

  it('without deposits the gap and the time to reveal are negative', () => {
    const empty = derive(normalTimes('waiting', 'waiting'))
    expect(empty.gapSeconds).toBeLessThan(0n)
    expect(empty.revealSecondsLeft).toBeLessThan(0n)
  })

  it('a chain is alive until its newest block is too old, on either side', () => {
    const { haltSeconds } = facts.chains.source
    expect(later(haltSeconds).chainsAlive).toBe(true)
    expect(later(haltSeconds + 1n).chainsAlive).toBe(false)
    const stale = { ...facts.tips.source, time: facts.now - haltSeconds - 1n }
    expect(deriveOrder({ ...facts, tips: { ...facts.tips, source: stale } }).chainsAlive).toBe(false)
    expect(deriveOrder({ ...facts, tips: { ...facts.tips, destination: stale } }).chainsAlive).toBe(false)
  })
})

describe('the secret', () => {
  it('is known from either chain or from the record, and never forgotten', () => {
    expect(derive(normalTimes('initiated', 'initiated')).secret).toBeNull()
    expect(derive(normalTimes('initiated', 'redeeming')).secret).toBe('5e'.repeat(32))
    expect(derive(normalTimes('redeemed', 'initiated')).secret).toBe('5e'.repeat(32))
    expect(derive(normalTimes('initiated', 'initiated'), { seenSecret: '5e'.repeat(32) }).secret).toBe('5e'.repeat(32))
  })
})

describe('an order is closed', () => {
  const closed = (example: ExampleOrder, finality: number, later = 0n) => {
    const facts = factsOf(example)
    return isClosed(deriveOrder({ ...facts, chains: finalAfter(finality, facts), now: facts.now + later }))
  }
  const week = 7n * 24n * 3600n

  it('when the spend of every deposit is final', () => {
    expect(closed(normalTimes('redeemed', 'redeemed'), 1)).toBe(true)
    expect(closed(normalTimes('refunded', 'waiting'), 1)).toBe(true)
    expect(closed(normalTimes('redeemed', 'redeemed'), 2)).toBe(false)
    expect(closed(normalTimes('redeemed', 'initiated'), 1)).toBe(false)
    expect(closed(normalTimes('refunding', 'refunded'), 1)).toBe(false)
  })

  it.each(['source', 'destination'] as const)('only once the finality tag of the %s chain covers the spend', (leg) => {
    const facts = factsOf(normalTimes('redeemed', 'redeemed'))
    const saying = (finalHeight: bigint) => ({ ...facts.tips, [leg]: { ...facts.tips[leg], finalHeight } })
    const closedAt = (finalHeight: bigint) => isClosed(deriveOrder({ ...facts, chains: finalAfter(1, facts), tips: saying(finalHeight) }))
    expect(closedAt(facts.tips[leg].height - 1n)).toBe(false)
    expect(closedAt(facts.tips[leg].height)).toBe(true)
  })

  it('not before a second payment into the account of its payer can be returned', () => {
    const facts = factsOf(normalTimes('redeemed', 'redeemed'))
    const grants = [prefundedGrant(facts.order.deadline)]
    const closedAt = (now: bigint) => isClosed(deriveOrder({ ...facts, grants, chains: finalAfter(1, facts), now }))
    expect(closedAt(facts.order.deadline + 3600n)).toBe(false)
    expect(closedAt(facts.order.deadline + 3601n)).toBe(true)
  })

  it('not in the week after the deadline if it has a deposit address, which may be paid again', () => {
    const facts = withAddress(factsOf(normalTimes('redeemed', 'redeemed')))
    const closedAt = (now: bigint) => isClosed(deriveOrder({ ...facts, chains: finalAfter(1, facts), now }))
    expect(closedAt(facts.order.deadline + week)).toBe(false)
    expect(closedAt(facts.order.deadline + week + 1n)).toBe(true)
  })

  it('a week after the deadline without a source deposit, if the destination holds nothing', () => {
    const late = { ...normalTimes('waiting', 'waiting'), deadlinePassed: true }
    expect(closed(late, 1, week - 1n)).toBe(false)
    expect(closed(late, 1, week)).toBe(true)
    expect(closed({ ...late, destination: 'refunded' }, 1, week)).toBe(true)
    expect(closed({ ...late, destination: 'refunded' }, 1)).toBe(false)
    expect(closed({ ...late, destination: 'initiated' }, 1, week)).toBe(false)
  })
})

describe('money at a deposit address', () => {
  const unfunded = factsOf(normalTimes('waiting', 'waiting'))
  const statusOf = (facts: OrderFacts, over: Partial<OrderFacts>) => deriveOrder({ ...facts, ...over }).status

  it('is shown as a deposit that is detected, until the deadline', () => {
    const facts = withAddress(unfunded)
    const { deadline } = facts.order
    expect(statusOf(facts, { prefund: 0n })).toBe('created')
    expect(statusOf(facts, { prefund: 1n, now: deadline })).toBe('initiate_detected')
    expect(statusOf(facts, { prefund: 1n, now: deadline + 1n })).toBe('expired')
  })

  it('says nothing where payers have accounts, or beside the deposit itself', () => {
    expect(statusOf(unfunded, { prefund: 1n })).toBe('created')
    expect(statusOf(withAddress(factsOf(normalTimes('initiated', 'waiting'))), { prefund: 1n })).toBe('initiated')
  })
})

function withAddress(facts: OrderFacts): OrderFacts {
  return { ...facts, order: { ...facts.order, source: { ...facts.order.source, depositAddress: 'address' } } }
}
