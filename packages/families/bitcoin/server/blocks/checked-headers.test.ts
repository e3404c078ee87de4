// Tests headers of a simulated node that says what a test sets. Their work is that of a regtest, so that a test can mine them.
import { beforeEach, describe, expect, it, test } from 'vitest'
import type { ProofOfWork } from '../../terms/networks.ts'
import { parseHeader } from '../script/transaction.ts'
import { failure } from '../wallet/manual-mining.fixture.ts'
import { hashOf } from './block.fixture.ts'
import { type CheckedHeaders, type ClaimedHeader, createCheckedHeaders, encodeHeader, type HeaderFields } from './checked-headers.ts'
import { workProblem } from './proof-of-work.ts'

const EASY = 0x207fffff
const HARDER = 0x201fffff
let hashed = 0
const work: ProofOfWork = {
  get hash() {
    hashed += 1
    return 'sha256d' as const
  },
  easiestBits: EASY,
  difficulty: 'retargets',
  minDifficulty: 0n,
}

type Mined = ClaimedHeader & { readonly hash: string }

async function mine(parent: Mined | null, height: bigint, change: Partial<HeaderFields> = {}): Promise<Mined> {
  const fields = { version: 4, parentHash: parent?.hash ?? hashOf(0), merkleRoot: hashOf(Number(height)), time: 1_700_000_000, bits: EASY }
  for (let nonce = 0; ; nonce++) {
    const bytes = encodeHeader({ ...fields, ...change, nonce })
    const header = parseHeader(Uint8Array.from(bytes))
    if ((await workProblem(bytes, header, { ...work, easiestBits: header.bits })) === null) return { height, bytes, hash: header.hash }
  }
}

async function extend(parent: Mined, count: number, change: Partial<HeaderFields> = {}): Promise<Mined[]> {
  const mined: Mined[] = []
  for (let i = 0; i < count; i++) {
    const below = mined.at(-1) ?? parent
    mined.push(await mine(below, below.height + 1n, change))
  }
  return mined
}

let chain: Mined[]
let past: Mined[]
let byHash: Map<string, ClaimedHeader>
let asked: string[]
let headers: CheckedHeaders

beforeEach(async () => {
  const first = await mine(null, 4980n)
  past = [first, ...(await extend(first, 19))]
  chain = await extend(lastOf(past), 1)
  byHash = new Map(past.map((one) => [one.hash, one]))
  asked = []
  headers = createCheckedHeaders(
    { work },
    {
      async tipHash() {
        for (const one of chain) if (!byHash.has(one.hash)) byHash.set(one.hash, one)
        return chain.at(-1)?.hash ?? ''
      },
      async header(hash) {
        asked.push('header')
        const claimed = byHash.get(hash) ?? chain.find((one) => one.hash === hash)
        if (claimed === undefined) throw new Error('the node does not know it')
        return claimed
      },
      async page(height) {
        asked.push('page')
        return [...past, ...chain].filter((one) => one.height <= height && one.height > height - 10n)
      },
    },
  )
})

const hashAt = (height: bigint) => chain.find((one) => one.height === height)?.hash ?? ''
const lastOf = (mined: readonly Mined[]) => mined.at(-1) as Mined

describe('a tip', () => {
  it('a few blocks ahead is reached by their headers, many blocks ahead by a page; no header is hashed twice', async () => {
    await headers.tip()
    chain.push(...(await extend(lastOf(chain), 3)))
    asked = []
    hashed = 0
    await headers.tip()
    expect([asked, hashed]).toEqual([['header', 'header', 'header'], 3])
    chain.push(...(await extend(lastOf(chain), 6)))
    asked = []
    hashed = 0
    await headers.tip()
    expect([asked, hashed]).toEqual([['header', 'page'], 6])
  })

  it('costs one header, and is not asked for again; the first also some of its parents', async () => {
    expect(await headers.tip()).toMatchObject({ height: 5000n, hash: hashAt(5000n), time: 1_700_000_000n })
    expect(asked.splice(0)).toEqual(['header', 'page', 'header', 'header'])
    await headers.tip()
    chain.push(...(await extend(lastOf(chain), 1)))
    expect((await headers.tip()).height).toBe(5001n)
    expect(asked).toEqual(['header'])
  })

  it('is refused if a field was changed: its hash is computed', async () => {
    const [block] = chain as [Mined]
    byHash.set(block.hash, { ...block, bytes: (await mine(null, 5000n, { time: 1_700_000_001 })).bytes })
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /another header than that of/))
  })

  it('is refused without proof of work, also as the first header that we see', async () => {
    const bytes = Buffer.from((chain[0] as Mined).bytes)
    let forged: Mined
    for (let nonce = 0; ; nonce++) {
      bytes.writeUInt32LE(nonce, 76)
      const header = parseHeader(Uint8Array.from(bytes))
      forged = { height: 5000n, bytes: Uint8Array.from(bytes), hash: header.hash }
      if ((await workProblem(bytes, header, work)) !== null) break
    }
    chain = [forged]
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /false header: block [0-9a-f]{64} has no valid proof of work/))
    chain = [await mine(null, 5000n, { bits: 0x21008000 })]
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /easier to mine than any block/))
  })

  it('is refused with a false height, and accepted when the node says the right one', async () => {
    await headers.tip()
    const [next] = (await extend(lastOf(chain), 1)) as [Mined]
    chain.push(next)
    byHash.set(next.hash, { ...next, height: 5100n })
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /height 5100, but its parent to have height 5000/))
    byHash.set(next.hash, next)
    expect((await headers.tip()).height).toBe(5001n)
  })

  it('is refused with another difficulty than its parent, except in a retarget', async () => {
    await headers.tip()
    const before = [...chain]
    chain.push(...(await extend(lastOf(chain), 1, { bits: HARDER })))
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /another difficulty than its parent allows/))
    chain = before
    // The next block is a retarget: 6048 = 3 × 2016.
    chain.push(...(await extend(lastOf(chain), 1047)))
    expect((await headers.tip()).height).toBe(6047n)
    chain.push(...(await extend(lastOf(chain), 1, { bits: HARDER })))
    expect((await headers.tip()).height).toBe(6048n)
    chain.push(...(await extend(lastOf(chain), 1)))
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /another difficulty/))
  })
})

describe('after a gap', () => {
  it('every block in between is checked, in pages', async () => {
    await headers.tip()
    asked.splice(0)
    chain.push(...(await extend(lastOf(chain), 60)))
    expect((await headers.tip()).height).toBe(5060n)
    expect(asked.filter((one) => one === 'page')).toHaveLength(6)
    expect(asked.filter((one) => one === 'header')).toHaveLength(1)
  })

  it('a height that skips blocks is refused: confirmations cannot be invented', async () => {
    await headers.tip()
    const mined = await extend(lastOf(chain), 30)
    chain.push(...mined.map((one) => ({ ...one, height: one.height + 100n })))
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /height 5101, but its parent to have height 5000/))
    chain = [chain[0] as Mined, ...mined]
    for (const one of mined) byHash.delete(one.hash)
    expect((await headers.tip()).height).toBe(5030n)
  })

  it('a node that is ahead by all of history is not followed', async () => {
    await headers.tip()
    const far = await mine(lastOf(chain), 5000n + 20_001n)
    chain.push(far)
    await expect(headers.tip()).rejects.toThrow(
      failure('unreachable', /20001 blocks above the newest that we know: if that is right, restart/),
    )
  })
})

describe('another branch', () => {
  /** Old blocks get the heights of today: their work is real, and shows nothing. */
  const oldBlocks = async (from: bigint, count: number) => {
    const first = await mine(null, from, { version: 9 })
    return [first, ...(await extend(first, count, { version: 9 }))]
  }

  it('that does not connect to what we hold is refused, also after a tip as low as that: old blocks are not confirmations', async () => {
    await headers.tip()
    const deposit = hashAt(5000n)
    const old = await oldBlocks(4950n, 60)
    const truth = chain
    for (const shown of [5000n, 4988n, 4960n, 5010n]) {
      chain = old.filter(({ height }) => height <= shown)
      await expect(headers.tip()).rejects.toThrow()
    }
    chain = truth
    expect((await headers.tip()).hash).toBe(deposit)
  })

  it('is followed where a reorg reaches below all that we hold', async () => {
    await headers.tip()
    // The lowest header that is held has height 4988.
    const [fork] = past.filter(({ height }) => height === 4984n) as [Mined]
    const replaced = past
    const branch = await extend(fork, 18, { version: 5 })
    past = past.filter(({ height }) => height <= 4984n)
    chain = branch
    for (const one of [...branch, ...replaced]) byHash.set(one.hash, one)
    expect(await headers.tip()).toMatchObject({ height: 5002n, hash: lastOf(branch).hash })
    await expect(headers.block((replaced[10] as Mined).hash)).rejects.toThrow(failure('unreachable', /reorg while reading/))
  })

  it('of a node that has lost its blocks is not followed', async () => {
    await headers.tip()
    const truth = chain
    chain = [await mine(null, 3000n)]
    await expect(headers.tip()).rejects.toThrow(failure('unreachable', /1988 blocks below the lowest that we know/))
    chain = truth
    expect((await headers.tip()).height).toBe(5000n)
  })
})

test('a false height that a node claimed once is not believed for ever', async () => {
  chain.push(...(await extend(lastOf(chain), 12)))
  await headers.tip()
  const [wrong] = past.filter(({ height }) => height === 4985n) as [Mined]
  byHash.set(wrong.hash, { ...wrong, height: 5003n })
  await expect(headers.block(wrong.hash)).rejects.toThrow(failure('unreachable', /reorg while reading/))
  byHash.set(wrong.hash, wrong)
  expect((await headers.block(wrong.hash)).height).toBe(4985n)
})

describe('a block by its hash', () => {
  it('must be an ancestor of the tip', async () => {
    const [base] = chain as [Mined]
    chain.push(...(await extend(base, 12)))
    const stale = lastOf(await extend(base, 6, { version: 5 }))
    byHash.set(stale.hash, stale)
    expect(await headers.block(hashAt(5006n))).toMatchObject({ height: 5006n, hash: hashAt(5006n) })
    await expect(headers.block(stale.hash)).rejects.toThrow(failure('unreachable', /reorg while reading block 5006/))
    // A block of the chain with a false height would seem to have more confirmations.
    const [low] = chain.slice(3) as [Mined]
    byHash.set(low.hash, { ...low, height: 5001n })
    const other = createCheckedHeaders(
      { work },
      { tipHash: async () => lastOf(chain).hash, header: async (hash) => byHash.get(hash) as ClaimedHeader, page: async () => [] },
    )
    await expect(other.block(low.hash)).rejects.toThrow(failure('unreachable'))
  })

  it('of a new branch is accepted after a reorg, and one of the old branch is refused', async () => {
    const [base] = chain as [Mined]
    chain.push(...(await extend(base, 3)))
    const old = [...chain]
    await headers.tip()
    expect((await headers.block(hashAt(5001n))).height).toBe(5001n)
    chain = [base, ...(await extend(base, 4, { version: 5 }))]
    for (const one of chain) byHash.set(one.hash, one)
    expect((await headers.block(hashAt(5002n))).hash).toBe(hashAt(5002n))
    expect((await headers.tip()).height).toBe(5004n)
    await expect(headers.block((old[2] as Mined).hash)).rejects.toThrow(failure('unreachable', /reorg while reading/))
  })

  it('far below the tip needs only its own work', async () => {
    const deep = await mine(null, 1n)
    byHash.set(deep.hash, deep)
    await headers.tip()
    asked.splice(0)
    expect((await headers.block(deep.hash)).height).toBe(1n)
    expect(asked).toEqual(['header'])
  })
})
