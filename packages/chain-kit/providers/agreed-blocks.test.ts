/** Tests the newest block and those below it, with providers that are ahead, behind, on another branch, or forge blocks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ChainFailure } from '../port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from './agreed-blocks.ts'
import { createProviderPool } from './pool.ts'

/** The others wait less long for a late provider. */
const LATE_MS = 1_200

type TestBlock = { readonly height: bigint; readonly hash: string; readonly time: bigint }
interface TestNode {
  newest(): Promise<TestBlock>
  at(height: bigint): Promise<TestBlock | null>
}

const blockOf = (height: bigint, branch = 0): TestBlock => ({ height, hash: `${height > 90n ? branch : 0} ${height}`, time: height * 12n })

function nodeAt(tip: bigint, branch = 0): TestNode {
  return { newest: async () => blockOf(tip, branch), at: async (height) => (height > tip ? null : blockOf(height, branch)) }
}

/** All its blocks have the right hash and a wrong time. */
const forger: TestNode = {
  newest: async () => ({ ...blockOf(100n), time: 1n }),
  at: async (height) => ({ ...blockOf(height), time: 1n }),
}
const unreachable = () => Promise.reject(new ChainFailure('unreachable', 'ECONNREFUSED'))
const dead: TestNode = { newest: unreachable, at: unreachable }

const blocksOf = (size: number, ...nodes: readonly TestNode[]) => openBlocks(size, nodes, false)

function openBlocks(size: number, nodes: readonly TestNode[], heightsMaySkip: boolean) {
  const troubles: string[] = []
  const clock = { ms: 0 }
  const providers = nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', node }))
  const options = { problemOf: async () => null, onTrouble: (what: string) => troubles.push(what), nowMs: () => clock.ms }
  const blocks = createAgreedBlocks<TestNode, TestBlock>(
    { pool: createProviderPool(providers, options), size },
    {
      newest: (node) => node.newest(),
      all: async (node, heights) => (await Promise.all(heights.map(node.at))).flatMap((block) => block ?? []),
      keyOf: ({ height, hash, time }) => `${height} ${hash} ${time}`,
      heightsMaySkip,
      allowedLag: 3n,
    },
  )
  return { blocks, troubles, clock }
}

describe('the newest block', () => {
  it.each([
    ['the highest that two have, in any order', 2, [100n, 103n, 102n], 102n],
    ['not that of one provider ahead of all others', 2, [1_000_000n, 100n, 100n], 100n],
    ['not held up by one that is behind', 2, [100n, 5n, 100n], 100n],
    ['the lowest of three where three must agree', 3, [100n, 102n, 101n], 100n],
    ['that of the first while it keeps up', 1, [100n, 103n, 102n], 100n],
    ['that of the next when the first does not', 1, [5n, 103n, 102n], 103n],
    ['not that of a forger, if it is not the first', 1, [100n, 1_000_000n, 100n], 100n],
  ])('is %s', async (_, size, tips, expected) => {
    const { blocks } = blocksOf(size, ...tips.map((tip) => nodeAt(tip)))
    expect(blocks.height).toBeNull()
    expect(await blocks.newest()).toEqual(blockOf(expected))
    expect(blocks.height).toBe(expected)
  })

  it('is not that of a read that began long before: callers date what they get by when they asked', async () => {
    let tip = 100n
    const reads: bigint[] = []
    // A node answers with the tip of when it got the question, however long the answer takes.
    const slow = (ms: number): TestNode => ({
      async newest() {
        const seen = blockOf(tip)
        reads.push(seen.height)
        await sleep(ms)
        return seen
      },
      at: async (height) => blockOf(height),
    })
    const { blocks } = blocksOf(2, slow(0), slow(900))
    const [early, together] = [blocks.newest(), blocks.newest()]
    await sleep(400)
    tip = 101n
    expect(await blocks.newest()).toEqual(blockOf(101n))
    expect([await early, await together]).toEqual([blockOf(100n), blockOf(100n)])
    expect(reads).toEqual([100n, 100n, 101n, 101n])
  })

  it('is on the branch on which a quorum agrees', async () => {
    const { blocks } = blocksOf(2, nodeAt(100n, 0), nodeAt(102n, 1), nodeAt(101n, 1))
    expect(await blocks.newest()).toEqual(blockOf(101n, 1))
  })

  it('is the last common one while providers are split between two branches, and none is suspended', async () => {
    const { blocks, troubles } = blocksOf(2, nodeAt(100n, 0), nodeAt(101n, 1))
    expect(await blocks.newest()).toEqual(blockOf(90n))
    expect(troubles).toEqual([])
  })

  it('fails when no two providers agree', async () => {
    const { blocks } = blocksOf(2, nodeAt(100n), forger)
    await expect(blocks.newest()).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the newest block: fewer than 2 of a, b agree on one',
    })
  })

  it('fails when too few answer', async () => {
    await expect(blocksOf(2, nodeAt(100n), dead).blocks.newest()).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the newest block: 1 of the 2 providers needed answered; b: ECONNREFUSED',
    })
  })

  it('has the time that a quorum states: the right hash beside a wrong time is a contradiction', async () => {
    const { blocks, troubles } = blocksOf(2, forger, nodeAt(100n), nodeAt(100n))
    expect(await blocks.newest()).toEqual(blockOf(100n))
    expect(troubles).toEqual(['a is suspended for a while: it contradicts the others about block 100'])
    expect(await blocks.at(99n)).toEqual(blockOf(99n))
  })

  it('is found although a forger is fast and an honest provider is slow, and only the forger is suspended', async () => {
    const late: TestNode = { ...nodeAt(100n), newest: () => sleep(LATE_MS, blockOf(100n)) }
    const { blocks, troubles, clock } = blocksOf(2, forger, nodeAt(100n), late)
    expect(await blocks.newest()).toEqual(blockOf(100n))
    expect(troubles).toEqual(['a is suspended for a while: it contradicts the others about block 100'])
    clock.ms = 5_000
    expect(await blocks.newest()).toEqual(blockOf(100n))
    expect(troubles.join()).not.toContain('slow')
  })

  it('is polled once for callers at the same time', async () => {
    let polls = 0
    const counting: TestNode = {
      ...nodeAt(100n),
      newest: async () => {
        polls += 1
        return blockOf(100n)
      },
    }
    const { blocks } = blocksOf(1, counting)
    await Promise.all([blocks.newest(), blocks.newest(), blocks.newest()])
    expect(polls).toBe(1)
    await blocks.newest()
    expect(polls).toBe(2)
  })
})

describe('a hint about the newest block', () => {
  const counting = (node: TestNode) => {
    const counted = {
      asked: 0,
      at: node.at,
      newest: () => {
        counted.asked += 1
        return node.newest()
      },
    }
    return counted
  }
  const heightsSeen = async (blocks: { tipHint(): Promise<TestBlock> }, times: number) => {
    const heights: bigint[] = []
    for (let i = 0; i < times; i += 1) heights.push((await blocks.tipHint()).height)
    return heights
  }

  it('is one request, to the providers round robin', async () => {
    const nodes = [counting(nodeAt(100n)), counting(nodeAt(100n)), counting(nodeAt(100n))]
    const { blocks } = blocksOf(2, ...nodes)
    await heightsSeen(blocks, 9)
    expect(nodes.map(({ asked }) => asked)).toEqual([3, 3, 3])
  })

  it.each([
    ['is stuck', nodeAt(80n), 80n],
    ['is ahead', nodeAt(1_000n), 1_000n],
  ])('of a provider that %s comes only from itself, and is never agreed on', async (_, liar, height) => {
    const { blocks } = blocksOf(2, nodeAt(100n), liar, nodeAt(100n))
    const seen = await heightsSeen(blocks, 6)
    expect(seen.filter((one) => one === height)).toHaveLength(2)
    expect(seen.filter((one) => one === 100n)).toHaveLength(4)
    expect(blocks.height).toBeNull()
    expect(await blocks.newest()).toEqual(blockOf(100n))
  })

  it('of a provider that is dead is what the others agree on, and it is suspended', async () => {
    const { blocks, troubles } = blocksOf(2, nodeAt(100n), dead, nodeAt(100n))
    expect(await heightsSeen(blocks, 6)).toEqual(Array.from({ length: 6 }, () => 100n))
    expect(troubles[0]).toContain('b is suspended')
  })

  it('of a provider that does not answer is what the others agree on, without its answer', async () => {
    const silent: TestNode = { newest: () => new Promise(() => undefined), at: async () => null }
    const { blocks } = blocksOf(2, nodeAt(100n), silent, nodeAt(100n))
    expect(await heightsSeen(blocks, 3)).toEqual([100n, 100n, 100n])
  })
})

describe('a provider that is behind', () => {
  it('is suspended, and restored when it has caught up', async () => {
    let tip = 5n
    const late: TestNode = { newest: async () => blockOf(tip), at: async (height) => blockOf(height) }
    const { blocks, clock, troubles } = blocksOf(1, late, nodeAt(100n))
    expect(await blocks.newest()).toEqual(blockOf(100n))
    expect(troubles).toEqual(['a is suspended for a while: it is behind the others by more than 3 blocks'])
    tip = 100n
    clock.ms = 2_000
    await blocks.newest()
    tip = 5n
    await blocks.newest()
    // It was healthy in between, so it is reported again.
    expect(troubles).toHaveLength(2)
  })

  it('may be behind for 15 seconds or 3 blocks, whichever is more', () => {
    expect(allowedLagOf({ blockMs: 600_000n })).toBe(3n)
    expect(allowedLagOf({ blockMs: 2_000n })).toBe(7n)
    expect(allowedLagOf({ blockMs: 250n })).toBe(60n)
  })
})

describe('a block at a height', () => {
  const lacking: TestNode = { newest: async () => blockOf(100n), at: async () => null }

  it('is null above the newest where a quorum says so', async () => {
    const { blocks } = blocksOf(2, lacking, lacking, nodeAt(100n))
    await blocks.newest()
    expect(await blocks.at(101n)).toBeNull()
  })

  it('below the newest is not null because one provider lacks it', async () => {
    const { blocks, troubles } = blocksOf(2, lacking, lacking, nodeAt(100n))
    await blocks.newest()
    await expect(blocks.at(99n)).rejects.toMatchObject({ kind: 'unreachable' })
    // A provider may lack a block for a moment.
    expect(troubles).toEqual([])
  })

  it('is null at a skipped height only if a quorum says so', async () => {
    const skipping: TestNode = { ...nodeAt(100n), at: async (height) => (height === 97n ? null : blockOf(height)) }
    const { blocks, troubles } = openBlocks(2, [skipping, lacking, skipping], true)
    await blocks.newest()
    expect(await blocks.at(97n)).toBeNull()
    expect(await blocks.at(98n)).toEqual(blockOf(98n))
    expect(troubles).toEqual([])
    const split = openBlocks(2, [skipping, nodeAt(100n)], true)
    await split.blocks.newest()
    await expect(split.blocks.at(97n)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('is never that of a forger', async () => {
    const { blocks, troubles } = blocksOf(2, forger, nodeAt(100n), nodeAt(100n))
    expect(await blocks.at(99n)).toEqual(blockOf(99n))
    expect(troubles).toEqual(['a is suspended for a while: it contradicts the others about block 99'])
  })
})

describe('blocks at several heights', () => {
  /** Two providers are honest, one of them stuck on a stale branch. A liar agrees with each about its own blocks. */
  const stuck = nodeAt(95n, 1)
  const honest = nodeAt(110n, 0)
  const liar: TestNode = { ...honest, at: async (height) => (height <= 95n ? stuck : honest).at(height) }

  it('are of one branch: a liar cannot put confirmations on a stale block', async () => {
    const { blocks } = blocksOf(2, honest, liar, stuck)
    expect(await blocks.newest()).toEqual(blockOf(110n))
    await expect(blocks.all([95n, 110n])).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await blocks.all([90n, 110n])).toEqual([blockOf(90n), blockOf(110n)])
  })

  it('come from providers that have all of them', async () => {
    const { blocks } = blocksOf(2, stuck, honest, nodeAt(111n))
    await blocks.newest()
    expect(await blocks.all([95n, 100n, 110n])).toEqual([blockOf(95n), blockOf(100n), blockOf(110n)])
  })

  it('come from one provider when there is no quorum: answers of two providers are never mixed', async () => {
    let asked = 0
    const failing: TestNode = { ...nodeAt(110n, 1), at: async (height) => (++asked > 1 ? unreachable() : nodeAt(110n, 1).at(height)) }
    const { blocks } = blocksOf(1, failing, honest)
    expect(await blocks.all([95n, 110n])).toEqual([blockOf(95n), blockOf(110n)])
  })

  it('above the newest are left out', async () => {
    const { blocks } = blocksOf(2, honest, honest, stuck)
    await blocks.newest()
    expect(await blocks.all([110n, 111n])).toEqual([blockOf(110n)])
  })
})
