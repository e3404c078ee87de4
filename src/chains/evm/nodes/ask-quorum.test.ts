/** Fast liars, slow truth, and numbers that are never quite the same. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { EvmNode, NodeBlock } from './node.ts'
import { NodeRefusal } from './rpc.ts'
import { address, blockOf, dead, provider, sharedBy, txHash } from './shared-node.fixture.ts'

/** Longer than the others wait for who is late. */
const LATE_MS = 1_200

/** The same answers, later. */
function late(node: Partial<EvmNode>): Partial<EvmNode> {
  const slow =
    <A extends unknown[], R>(ask: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      await sleep(LATE_MS)
      return ask(...args)
    }
  const { block, isKnown, balance } = node
  return {
    ...node,
    ...(block && { block: slow(block) }),
    ...(isKnown && { isKnown: slow(isKnown) }),
    ...(balance && { balance: slow(balance) }),
  }
}

/** Blocks that nobody else has. */
const forger = provider(100n, {
  block: async (height): Promise<NodeBlock> => ({ ...blockOf(height === 'latest' ? 100n : height), hash: txHash }),
  isKnown: async () => false,
  balance: async () => 0n,
})
const truth = provider(100n, { isKnown: async () => true, balance: async () => 5_000n })

describe('a fast liar and an honest one that is late', () => {
  it('do not stop the chain, neither the first time nor later, and the liar is named', async () => {
    const { node, troubles, clock } = sharedBy(2, forger, truth, late(truth))
    expect(await node.block('latest')).toEqual(blockOf(100n))
    expect(troubles).toEqual([expect.stringContaining('a is suspended for a while: it contradicts the others about block 100')])
    clock.ms = 5_000
    expect(await node.block('latest')).toEqual(blockOf(100n))
    expect(troubles.join()).not.toContain('slow')
  })

  it('do not hide money, nor a transaction that waits', async () => {
    const { node } = sharedBy(2, forger, truth, late(truth))
    expect(await node.balance(address)).toBe(5_000n)
    expect(await node.isKnown(txHash)).toBe(true)
  })

  it('who is late is suspended only when the others agree', async () => {
    const silent = provider(100n, { block: () => new Promise(() => undefined) })
    const agreed = sharedBy(2, truth, truth, silent)
    await agreed.node.block('latest')
    expect(agreed.troubles).toEqual([expect.stringContaining('c is suspended for a while: it is slow')])
    const alone = sharedBy(3, truth, truth, late(truth))
    expect(await alone.node.block('latest')).toEqual(blockOf(100n))
    expect(alone.troubles).toEqual([])
  })
})

describe('numbers that move with every block', () => {
  const says = (amount: bigint) =>
    provider(100n, {
      balance: async () => amount,
      transactionCount: async () => amount,
      callAmount: async () => amount,
      estimateGas: async () => amount,
      priorityFee: async () => amount,
      gasPrice: async () => amount,
    })

  it('need not be equal, and are rounded to the side that is asked for', async () => {
    const { node } = sharedBy(2, says(41n), says(43n), says(42n))
    expect(await node.balance(address)).toBe(42n)
    const two = sharedBy(2, says(41n), says(43n)).node
    expect(await two.balance(address)).toBe(41n)
    expect(await two.callAmount({ to: address }, () => 0n, 'down')).toBe(41n)
    expect(await two.callAmount({ to: address }, () => 0n, 'up')).toBe(43n)
  })

  it('but a nonce is one that so many say, or that no liar can be: a transaction for another would show its secret and never be mined', async () => {
    expect(await sharedBy(2, says(7n), says(900n), says(900n)).node.transactionCount(address)).toBe(900n)
    expect(await sharedBy(2, says(899n), says(890n), says(900n)).node.transactionCount(address)).toBe(899n)
    for (const lie of [890n, 899n, 901n])
      await expect(sharedBy(2, says(lie), says(900n), dead).node.transactionCount(address)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('are not those of a liar, however far it is off', async () => {
    for (const lie of [0n, 10n ** 30n])
      for (const round of ['up', 'down'] as const) {
        const { node } = sharedBy(2, says(lie), says(50n), says(52n))
        expect([50n, 52n]).toContain(await node.callAmount({ to: address }, () => 0n, round))
      }
  })

  it('are no answer where a constant does better than one of two that are far apart', async () => {
    const { node } = sharedBy(2, says(50n), says(10n ** 30n), dead)
    await expect(node.estimateGas({ to: address })).rejects.toBeInstanceOf(NodeRefusal)
    await expect(node.priorityFee()).rejects.toBeInstanceOf(NodeRefusal)
    expect(await node.gasPrice()).toBe(10n ** 30n)
    expect(await node.balance(address)).toBe(50n)
  })
})

describe('a final block', () => {
  const says = (height: bigint | null, tip = 100n) => provider(tip, { finalHeight: async () => height })

  it('above the newest is not one, and whoever names it is suspended', async () => {
    const { node, troubles } = sharedBy(2, says(2n ** 63n), says(36n), says(36n))
    expect(await node.finalHeight('finalized')).toBe(36n)
    expect(troubles).toEqual([expect.stringContaining(`it calls block ${2n ** 63n} finalized, and the newest is 100`)])
    await expect(sharedBy(1, says(101n + 1_000n), dead).node.finalHeight('finalized')).rejects.toMatchObject({ kind: 'unreachable' })
    // It may know of a block that too few have.
    expect(await sharedBy(2, says(102n, 102n), says(102n, 102n), says(100n)).node.finalHeight('finalized')).toBe(102n)
    expect(await sharedBy(1, says(100n), says(100n, 103n)).node.finalHeight('finalized')).toBe(100n)
    expect(await sharedBy(2, says(100n), says(102n, 102n)).node.finalHeight('finalized')).toBe(100n)
  })

  it('that fewer name than must agree raises nothing', async () => {
    expect(await sharedBy(2, says(null), says(99n)).node.finalHeight('finalized')).toBe(0n)
    expect(await sharedBy(2, says(0n), says(99n)).node.finalHeight('finalized')).toBe(0n)
  })
})

it('a block below the newest that two do not have is not taken for one that does not exist', async () => {
  const lacking = provider(100n, { block: async (height) => (height === 'latest' ? blockOf(100n) : null) })
  const { node } = sharedBy(2, lacking, lacking, provider(100n))
  expect(await node.block(101n)).toBeNull()
  await node.block('latest')
  await expect(node.block(99n)).rejects.toMatchObject({ kind: 'unreachable' })
  expect(await sharedBy(2, lacking, lacking).node.block(101n)).toBeNull()
})

it('what nodes add to a header is no reason to disagree', async () => {
  const rated = (l1FeeRate: bigint) => provider(100n, { block: async () => ({ ...blockOf(100n), l1FeeRate }) })
  expect((await sharedBy(2, rated(1n), rated(2n)).node.block('latest'))?.hash).toBe(blockOf(100n).hash)
})
