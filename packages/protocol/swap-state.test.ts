/** Tests how the state of a swap is derived from its events. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainClock } from './chain.ts'
import type { BlockRef, HtlcEvent, HtlcTerms } from './htlc.ts'
import { hashSecret } from './secret.ts'
import { deriveSwap, type SwapView } from './swap-state.ts'

const SECRET = 'ab'.repeat(32)
const terms: HtlcTerms = {
  asset: 'a:b',
  initiator: 'user',
  redeemer: 'solver',
  amount: 100n,
  secretHash: hashSecret(SECRET),
  timelock: 50n,
}
const blocks: ChainClock = { unit: 'blocks', expiry: 'relative', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 0n }
const view: SwapView = {
  tip: { height: 1000n, time: 5000n },
  clock: blocks,
  heightsMaySkip: false,
  requiredConfirmations: 3,
  finalityBlocks: 51,
  counting: { kind: 'exact' },
  smallDeposits: null,
}

const at = (height: bigint | null): BlockRef | null => (height === null ? null : { height, hash: `${height}`, time: height * 5n })
const initiated = (deposit: string, amount: bigint, height: bigint | null): HtlcEvent => ({
  swapId: 's',
  tx: deposit,
  index: 'out:0',
  block: at(height),
  deposit,
  kind: 'initiated',
  amount,
  expiresAt: null,
})
const redeemed = (deposit: string, height: bigint | null, tx = `redeem ${deposit}`): HtlcEvent => ({
  swapId: 's',
  tx,
  index: 'in:0',
  block: at(height),
  deposit,
  kind: 'redeemed',
  secret: SECRET,
})
const refunded = (deposit: string, height: bigint | null, tx = `refund ${deposit}`): HtlcEvent => ({
  swapId: 's',
  tx,
  index: 'in:0',
  block: at(height),
  deposit,
  kind: 'refunded',
  secret: null,
})

const derive = (events: readonly HtlcEvent[], differently: Partial<SwapView> = {}) => deriveSwap(terms, events, { ...view, ...differently })
const countedIds = (events: readonly HtlcEvent[]) => derive(events).counted.map((d) => d.id)

describe('which deposits count', () => {
  it.each([
    ['none', [], [], 'waiting'],
    ['the exact one', [initiated('a', 100n, 900n)], ['a'], 'initiated'],
    ['several that add up', [initiated('a', 40n, 900n), initiated('b', 60n, 901n)], ['a', 'b'], 'initiated'],
    ['dust ahead of the exact one', [initiated('dust', 1n, 899n), initiated('a', 100n, 900n)], ['a'], 'initiated'],
    ['too much ahead of the exact one', [initiated('big', 500n, 899n), initiated('a', 100n, 900n)], ['a'], 'initiated'],
    ['dust ahead of parts', [initiated('dust', 1n, 899n), initiated('a', 40n, 900n), initiated('b', 60n, 901n)], [], 'mismatched'],
    ['too little', [initiated('a', 99n, 900n)], [], 'mismatched'],
    ['too much', [initiated('a', 101n, 900n)], [], 'mismatched'],
    ['too much in parts', [initiated('a', 60n, 900n), initiated('b', 60n, 901n)], [], 'mismatched'],
    ['the first of two exact ones', [initiated('b', 100n, 901n), initiated('a', 100n, 900n)], ['a'], 'initiated'],
    ['the mined one of two exact ones', [initiated('a', 100n, null), initiated('b', 100n, 999n)], ['b'], 'seen'],
    ['a deposit of zero ahead', [initiated('nil', 0n, 899n), initiated('a', 100n, 900n)], ['a'], 'initiated'],
  ] as const)('%s', (_, events, counted, phase) => {
    expect(countedIds(events)).toEqual(counted)
    expect(derive(events).phase).toBe(phase)
  })

  it('does not change with later deposits: an unconfirmed deposit cannot replace a confirmed one', () => {
    const parts = [initiated('a', 40n, 900n), initiated('b', 60n, 901n)]
    expect(countedIds([...parts, initiated('c', 100n, null)])).toEqual(['a', 'b'])
    expect(countedIds([...parts, initiated('c', 100n, 950n)])).toEqual(['a', 'b'])
    const amount = fc.constantFrom(1n, 40n, 60n, 100n, 101n)
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 5 }), fc.array(amount, { maxLength: 3 }), fc.boolean(), (first, later, mined) => {
        const before = first.map((a, i) => initiated(`first ${i}`, a, 900n + BigInt(i)))
        const after = later.map((a, i) => initiated(`after ${i}`, a, mined ? 950n + BigInt(i) : null))
        const counted = countedIds(before)
        if (counted.length > 0) expect(countedIds([...before, ...after])).toEqual(counted)
      }),
    )
  })

  it('is at most five deposits: redeeming dust costs more than it is worth', () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, i) => initiated(`${i}`, i === 0 ? 101n - BigInt(count) : 1n, 900n + BigInt(i)))
    expect(derive(parts(5)).phase).toBe('initiated')
    expect(derive(parts(6)).phase).toBe('mismatched')
  })

  it('is summed up; if none count, all deposits are', () => {
    expect(derive([initiated('a', 40n, 900n), initiated('b', 50n, 901n)]).filledAmount).toBe(90n)
    expect(derive([initiated('dust', 1n, 899n), initiated('a', 100n, 900n)]).filledAmount).toBe(100n)
    expect(derive([]).filledAmount).toBe(0n)
  })
})

describe('confirmations', () => {
  it.each([
    [null, 0n, 'seen'],
    [1000n, 1n, 'seen'],
    [999n, 2n, 'seen'],
    [998n, 3n, 'initiated'],
    // The node reported a block above the party's tip.
    [1001n, 0n, 'seen'],
  ] as const)('of a deposit in block %s are %s: %s', (height, confirmations, phase) => {
    expect(derive([initiated('a', 100n, height)])).toMatchObject({ confirmations, phase })
  })

  it('are those of the least confirmed deposit that counts', () => {
    const parts = [initiated('a', 40n, 900n), initiated('b', 60n, 999n)]
    expect(derive(parts)).toMatchObject({ confirmations: 2n, phase: 'seen' })
    expect(derive([initiated('a', 100n, 900n), initiated('late', 7n, null)])).toMatchObject({ confirmations: 101n, phase: 'initiated' })
  })
})

describe('timelocks', () => {
  const unitsLeft = (height: bigint | null, differently: Partial<SwapView> = {}) =>
    derive([initiated('a', 100n, height)], differently).deposits[0]?.unitsLeft

  it('in blocks end when the next block may hold the refund (BIP68)', () => {
    expect(unitsLeft(952n)).toBe(1n)
    expect(unitsLeft(951n)).toBe(0n)
    expect(unitsLeft(950n)).toBe(-1n)
    expect(unitsLeft(null)).toBeNull()
  })

  it('in seconds end by the time of the newest block', () => {
    const seconds: ChainClock = { ...blocks, unit: 'seconds' }
    expect(unitsLeft(990n, { clock: seconds })).toBe(0n)
    expect(unitsLeft(991n, { clock: seconds })).toBe(5n)
  })

  it('in slots end by the height, which is the slot number', () => {
    const slots: ChainClock = { ...blocks, unit: 'slots' }
    expect(unitsLeft(952n, { clock: slots })).toBe(1n)
    expect(unitsLeft(951n, { clock: slots })).toBe(0n)
    expect(unitsLeft(951n, { clock: slots, tip: { height: 1007n, time: 5000n } })).toBe(-7n)
  })

  it('in milliseconds end by the time of the newest block, which is in seconds', () => {
    const milliseconds: ChainClock = { ...blocks, unit: 'milliseconds' }
    const unitsLeftOf = (timelock: bigint) =>
      deriveSwap({ ...terms, timelock }, [initiated('a', 100n, 999n)], { ...view, clock: milliseconds }).deposits[0]?.unitsLeft
    expect(unitsLeftOf(5000n)).toBe(0n)
    expect(unitsLeftOf(5001n)).toBe(1n)
    expect(unitsLeftOf(86_400_000n)).toBe(86_395_000n)
  })
})

describe('expiry stated by the event', () => {
  const unitsLeft = (expiresAt: bigint, { unit, height = 990n }: { unit: ChainClock['unit']; height?: bigint | null }) =>
    deriveSwap(terms, [{ ...initiated('a', 100n, height), kind: 'initiated', amount: 100n, expiresAt }], {
      ...view,
      clock: { ...blocks, unit, expiry: 'absolute' },
    }).deposits[0]?.unitsLeft

  it.each([
    ['blocks', 1001n, 1n],
    ['slots', 1001n, 1n],
    ['seconds', 5000n, 100n],
    ['milliseconds', 5_000_000n, 100_000n],
  ] as const)('in %s is compared with the clock of the newest block', (unit, now, left) => {
    expect(unitsLeft(now, { unit })).toBe(0n)
    expect(unitsLeft(now + left, { unit })).toBe(left)
    expect(unitsLeft(now - left, { unit })).toBe(-left)
  })

  it('does not depend on the block of the initiation, and is ignored while unconfirmed', () => {
    for (const height of [900n, 950n, 999n]) expect(unitsLeft(1030n, { unit: 'blocks', height })).toBe(29n)
    expect(unitsLeft(1030n, { unit: 'blocks', height: null })).toBeNull()
  })

  it('overrides the terms, which apply only to events without an expiry, and never where the expiry is absolute', () => {
    const at = (expiresAt: bigint | null) =>
      deriveSwap(terms, [{ ...initiated('a', 100n, 990n), kind: 'initiated', amount: 100n, expiresAt }], view).deposits[0]?.unitsLeft
    expect(at(1008n)).toBe(7n)
    expect(at(null)).toBe(39n)
    const absolute = { ...view, clock: { ...blocks, expiry: 'absolute' } } as const
    expect(deriveSwap(terms, [initiated('a', 100n, 990n)], absolute).deposits[0]?.unitsLeft).toBeNull()
  })
})

describe('spends', () => {
  const exact = initiated('a', 100n, 900n)
  const parts = [initiated('a', 40n, 900n), initiated('b', 60n, 901n)]

  it.each([
    ['a redeem without a block', [exact, redeemed('a', null)], 'redeeming'],
    ['a mined redeem', [exact, redeemed('a', 950n)], 'redeemed'],
    ['a refund without a block', [exact, refunded('a', null)], 'refunding'],
    ['a mined refund', [exact, refunded('a', 950n)], 'refunded'],
    ['a redeem of one part', [...parts, redeemed('a', 950n)], 'redeemed'],
    ['a redeem of one part, a refund of the other', [...parts, refunded('a', 950n), redeemed('b', null)], 'redeeming'],
    ['a refund of one part', [...parts, refunded('a', 950n)], 'refunding'],
    ['refunds of both parts, one without a block', [...parts, refunded('a', 950n), refunded('b', null)], 'refunding'],
    ['refunds of both parts', [...parts, refunded('a', 950n), refunded('b', 951n)], 'refunded'],
    ['a refund of dust that does not count', [initiated('dust', 1n, 800n), exact, refunded('dust', 950n)], 'initiated'],
    ['a refund of too little', [initiated('a', 99n, 900n), refunded('a', 950n)], 'refunded'],
    ['a refund of half of what is too little', [initiated('a', 9n, 900n), initiated('b', 8n, 901n), refunded('a', 950n)], 'mismatched'],
    ['a spend of something unknown', [exact, refunded('elsewhere', 950n)], 'initiated'],
  ] as const)('%s: %s', (_, events, phase) => {
    expect(derive(events).phase).toBe(phase)
  })

  it('that compete: the mined one wins, else the redeem', () => {
    expect(derive([exact, redeemed('a', null), refunded('a', 950n)]).deposits[0]?.spend).toMatchObject({
      kind: 'refunded',
      confirmations: 51n,
    })
    expect(derive([exact, redeemed('a', 950n), refunded('a', null)]).deposits[0]?.spend).toMatchObject({ kind: 'redeemed' })
    expect(derive([exact, refunded('a', null, '1'), redeemed('a', null, '2')]).phase).toBe('redeeming')
    expect(derive([exact, refunded('a', null, '2'), redeemed('a', null, '1')]).phase).toBe('redeeming')
    expect(derive([exact, redeemed('a', null), refunded('a', null)]).phase).toBe('redeeming')
  })

  it.each([
    ['deep enough, on a chain without a finality tag', 950n, undefined, true],
    ['deep enough, at a node without the tag', 950n, null, true],
    ['not deep enough', 951n, undefined, false],
    ['not deep enough, though covered by the tag', 951n, 1000n, false],
    ['deep enough and covered by the tag', 950n, 950n, true],
    ['deep enough, not yet covered by the tag', 950n, 949n, false],
    ['without a block', null, 1000n, false],
  ] as const)('are final or not: %s', (_, height, finalHeight, isFinal) => {
    const tip = { ...view.tip, ...(finalHeight !== undefined && { finalHeight }) }
    for (const spend of [redeemed, refunded]) expect(derive([exact, spend('a', height)], { tip }).deposits[0]?.spend?.isFinal).toBe(isFinal)
  })

  it('that a reorg removed leave the deposit unspent', () => {
    expect(derive([exact, redeemed('a', 999n)]).phase).toBe('redeemed')
    expect(derive([exact]).phase).toBe('initiated')
  })

  it('reveal the secret, mined or not, whichever deposit they spend', () => {
    expect(derive([exact]).secret).toBeNull()
    expect(derive([exact, redeemed('a', null)]).secret).toBe(SECRET)
    expect(derive([initiated('dust', 1n, 800n), redeemed('dust', 950n)]).secret).toBe(SECRET)
    const wrong = { ...redeemed('a', 940n, 'before'), secret: 'cd'.repeat(32) }
    expect(derive([exact, wrong]).secret).toBeNull()
    expect(derive([exact, wrong, redeemed('a', null)]).secret).toBe(SECRET)
  })
})

it('does not depend on the order in which events arrive', () => {
  const height = fc.constantFrom(null, 900n, 950n, 999n)
  const deposit = fc.constantFrom('a', 'b', 'c')
  const event = fc.oneof(
    fc.tuple(deposit, fc.constantFrom(40n, 60n, 100n), height).map(([d, amount, h]) => initiated(d, amount, h)),
    fc.tuple(deposit, height, fc.constantFrom('x', 'y')).map(([d, h, tx]) => redeemed(d, h, `redeem ${d} ${tx}`)),
    fc.tuple(deposit, height, fc.constantFrom('x', 'y')).map(([d, h, tx]) => refunded(d, h, `refund ${d} ${tx}`)),
  )
  const history = fc.uniqueArray(event, { maxLength: 8, selector: (e) => `${e.tx} ${e.index}` })
  const shuffled = history.chain((events) => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })))
  fc.assert(
    fc.property(shuffled, ([events, other]) => {
      expect(derive(other)).toEqual(derive(events))
    }),
    { numRuns: 500 },
  )
})

describe('confirmations where heights may skip', () => {
  const skipping = (ordinal?: bigint): SwapView => ({
    ...view,
    heightsMaySkip: true,
    tip: { height: 1000n, time: 5000n, ...(ordinal !== undefined && { ordinal }) },
  })
  const mined = (height: bigint, ordinal?: bigint): HtlcEvent => {
    const event = initiated('d', 100n, height)
    return { ...event, block: event.block && { ...event.block, ...(ordinal !== undefined && { ordinal }) } }
  }
  const confirmations = (event: HtlcEvent, tip: SwapView) => deriveSwap(terms, [event], tip).confirmations

  it('are blocks: skipped heights above a deposit confirm nothing', () => {
    // The tip is 40 heights above the deposit, but only one block.
    expect(confirmations(mined(960n, 700n), skipping(701n))).toBe(2n)
    expect(deriveSwap(terms, [mined(960n, 700n)], skipping(701n)).phase).toBe('seen')
    expect(deriveSwap(terms, [mined(960n, 700n)], skipping(702n)).phase).toBe('initiated')
    expect(deriveSwap(terms, [mined(960n, 700n)], { ...skipping(701n), heightsMaySkip: false }).phase).toBe('initiated')
  })

  it('are one without ordinals', () => {
    expect(confirmations(mined(960n), skipping())).toBe(1n)
    expect(confirmations(mined(960n, 700n), skipping())).toBe(1n)
    expect(confirmations(mined(960n), skipping(800n))).toBe(1n)
  })

  it('are zero above the tip and without a block', () => {
    expect(confirmations(mined(1001n, 700n), skipping(702n))).toBe(0n)
    expect(confirmations(initiated('d', 100n, null), skipping(702n))).toBe(0n)
  })

  it('decide finality, too', () => {
    const spent = { ...redeemed('d', 940n), block: { height: 940n, hash: '940', time: 1n, ordinal: 650n } }
    const final = (ordinal: bigint) =>
      deriveSwap(terms, [mined(930n, 640n), spent], skipping(ordinal)).deposits.map((d) => d.spend?.isFinal)
    expect(final(699n)).toEqual([false])
    expect(final(700n)).toEqual([true])
  })
})
