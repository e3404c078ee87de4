// These tests check how the node makes blocks: pace, skipped slots, the clock, the pool, forks, and how much it keeps.

import type { Instruction } from '@solana/kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setUnitPrice } from './compute-budget.ts'
import { newSigner, openSolanaFixture, SOL, type SolanaFixture } from './solana.fixture.ts'

let fixture: SolanaFixture
const someone = newSigner().address
const open = async (mining: 'instant' | 'timed' | 'manual') => {
  fixture = await openSolanaFixture({ mining })
  return fixture.chain
}
const tip = () => fixture.chain.node.ledger.tip('processed')
const pay = (amount: bigint, ...more: readonly Instruction[]) => fixture.send(fixture.sign([...more, fixture.transfer(someone, amount)]))
const balance = () => fixture.chain.node.svm.balance(someone)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await fixture.close()
})

function later(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
}

describe('timed mining', () => {
  it('makes a block for every 400 ms, when somebody reads, except in skipped slots', async () => {
    const chain = await open('timed')
    const { slot, height, time } = tip()
    later(32 * 400)
    chain.node.catchUp()
    expect(tip().slot - slot).toBe(32)
    expect(tip().height - height).toBe(30)
    expect(tip().time - time).toBeGreaterThanOrEqual(12)
    chain.node.catchUp()
    expect(tip().slot - slot).toBe(32)
  })

  it('takes a transaction into the next slot', async () => {
    const chain = await open('timed')
    await pay(SOL)
    expect(balance()).toBe(0n)
    later(800)
    chain.node.catchUp()
    expect(balance()).toBe(SOL)
  })

  it('does not make up for all slots of a long pause, but for more than a blockhash is valid', async () => {
    const chain = await open('timed')
    const { slot, height } = tip()
    later(24 * 3_600_000)
    chain.node.catchUp()
    expect(tip().slot - slot).toBe(216_000)
    expect(tip().height - height).toBe(512 - 32)
  })
})

describe('instant mining', () => {
  it('confirms and finalizes a transaction in three blocks, and then rests', async () => {
    await open('instant')
    const start = tip().height
    await pay(SOL)
    await vi.waitFor(() => expect(fixture.chain.node.ledger.account(someone, 'finalized')?.lamports).toBe(SOL), { timeout: 60_000 })
    expect(tip().height - start).toBe(3)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(tip().height - start).toBe(3)
  })

  it('makes at most 100 blocks at once: timelocks count slots', async () => {
    await open('instant')
    const { node } = fixture.chain
    let made = 0
    while (node.mineEarly()) made += 1
    expect(made).toBe(100)
    later(4_000)
    node.catchUp()
    made = 0
    while (node.mineEarly()) made += 1
    expect(made).toBe(10)
  })
})

describe('time', () => {
  it.each(['instant', 'timed', 'manual'] as const)('passes by slots, with the clock that programs see: %s', async (mining) => {
    const chain = await open(mining)
    const { slot, time } = tip()
    chain.passTime(450)
    expect(tip().slot - slot).toBeGreaterThanOrEqual(450)
    expect(tip().slot - slot).toBeLessThanOrEqual(452)
    expect(tip().time - time).toBeGreaterThanOrEqual(179)
    expect(tip().time - time).toBeLessThanOrEqual(181)
    chain.passTime(216_000)
    expect(tip().slot - slot).toBeGreaterThanOrEqual(216_450)
    expect(tip().time - time).toBeGreaterThanOrEqual(86_400)
  })

  it('is not moved by forks, and never goes back', async () => {
    const chain = await open('manual')
    chain.passTime(450)
    const { time } = tip()
    chain.faults.reorg(5)
    expect(tip().time - time).toBeLessThanOrEqual(1)
    expect(tip().time).toBeGreaterThanOrEqual(time)
  })

  it('by surfnet_timeTravel goes forward only', async () => {
    await open('manual')
    expect(await fixture.call('surfnet_timeTravel', { absoluteSlot: 2_000 })).toMatchObject({ absoluteSlot: 2_000 })
    expect((await fixture.failure('surfnet_timeTravel', { absoluteSlot: 2_000 })).code).toBe(-32_602)
    expect((await fixture.failure('surfnet_timeTravel', {})).code).toBe(-32_602)
  })
})

describe('the pool', () => {
  it('gives blocks the best paying transactions first, then the oldest', async () => {
    const chain = await open('manual')
    const sent = [await pay(1n * SOL), await pay(2n * SOL), await pay(3n * SOL, setUnitPrice(5n)), await pay(4n * SOL, setUnitPrice(9n))]
    chain.mine()
    const order = tip().transactions.map(({ wire }) => sent.indexOf(wire.signature))
    expect(order).toEqual([3, 2, 0, 1])
  })

  it('keeps transactions that pay too little until they expire', async () => {
    const chain = await open('manual')
    chain.faults.congest(10n)
    const [cheap, good] = [await pay(1n * SOL), await pay(2n * SOL, setUnitPrice(10n))]
    chain.mine()
    expect(tip().transactions.map(({ wire }) => wire.signature)).toEqual([good])
    expect(chain.node.isPooled(cheap)).toBe(true)
    chain.mine(149)
    expect(chain.node.isPooled(cheap)).toBe(true)
    chain.mine(2)
    expect(chain.node.isPooled(cheap)).toBe(false)
  })

  it('forgets what a fault drops', async () => {
    const chain = await open('manual')
    chain.faults.drop(1)
    await pay(1n * SOL)
    await pay(2n * SOL)
    chain.mine()
    expect(balance()).toBe(2n * SOL)
  })
})

describe('a fork', () => {
  it('replaces blocks by one more in later slots: the old slots count as skipped', async () => {
    const chain = await open('manual')
    const before = tip()
    chain.faults.reorg(3)
    expect([tip().slot - before.slot, tip().height - before.height]).toEqual([4, 1])
    expect((await fixture.failure('getBlock', before.slot, { commitment: 'confirmed' })).code).toBe(-32_007)
    expect(chain.node.ledger.blockAt(before.slot + 1)?.parentSlot).toBe(before.slot - 3)
  })

  it('mines its transactions again in their order, or later, or never', async () => {
    const chain = await open('manual')
    const [first, second] = [await pay(1n * SOL), await pay(2n * SOL)]
    chain.mine()
    chain.faults.reorg(1)
    expect(chain.node.ledger.blockAt(tip().parentSlot)?.transactions.map(({ wire }) => wire.signature)).toEqual([first, second])
    chain.faults.reorg(2, { remine: false })
    expect([balance(), chain.node.isPooled(first)]).toEqual([0n, true])
    chain.mine()
    expect(balance()).toBe(3n * SOL)
    chain.faults.reorg(1, { transactions: 'drop' })
    chain.mine()
    expect([balance(), chain.node.isPooled(first)]).toEqual([0n, false])
  })

  it('drops transactions whose blockhash is of the old branch', async () => {
    const chain = await open('manual')
    chain.mine()
    const signature = await pay(SOL)
    chain.mine()
    chain.faults.reorg(2)
    expect([balance(), chain.node.isPooled(signature)]).toEqual([0n, false])
  })

  it('never replaces a finalized block', async () => {
    const chain = await open('manual')
    expect(() => chain.faults.reorg(32)).toThrow('cannot replace 32 blocks: only the newest 31 are not finalized')
    const finalized = chain.node.ledger.tip('finalized')
    chain.faults.reorg(31)
    expect(chain.node.ledger.blockAt(finalized.slot)).toBe(finalized)
    expect(chain.node.ledger.tip('finalized').height).toBe(finalized.height + 1)
  })
})

it('forgets old blocks and their transactions, and says so', async () => {
  const chain = await open('manual')
  const signature = await pay(SOL)
  chain.mine()
  const { slot } = tip()
  chain.mine(9_000)
  expect(await fixture.failure('getBlock', slot, { commitment: 'confirmed' })).toMatchObject({
    code: -32_001,
    message: `Block ${slot} cleaned up, does not exist on node. First available block: ${slot + 1}`,
  })
  expect(await fixture.call('getTransaction', signature)).toBeNull()
  expect(await fixture.call('getSignaturesForAddress', someone)).toEqual([])
  expect(balance()).toBe(SOL)
})
