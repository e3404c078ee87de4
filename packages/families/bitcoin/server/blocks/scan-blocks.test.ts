/** Tests what a scan of blocks finds, and the lies of a node that it detects. */
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { describe, expect, it } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import { failure } from '../wallet/manual-mining.fixture.ts'
import { hashOf, type MadeBlock, type MadeTransaction, makeBlock, makeTransaction, swapAt, taprootScript } from './block.fixture.ts'
import { type BlockSource, scanBlock, scanBlocks } from './scan-blocks.ts'

const FIRST = 100n
const [key, otherKey] = [hashOf(1), hashOf(2)]
const pay = (to: string, n: number) => makeTransaction([`${hashOf(1000 + n)}:0`], [{ script: taprootScript(to), amount: 50_000n }])
const spend = (outpoint: string) => makeTransaction([`${hashOf(7)}:1`, outpoint], [{ script: Uint8Array.of(0x6a), amount: 0n }])
const noise = makeTransaction(
  [`${hashOf(8)}:0`, `${hashOf(9)}:4294967295`],
  [
    { script: taprootScript(otherKey), amount: 1n },
    { script: Uint8Array.of(0x00, 0x14, ...new Uint8Array(20)), amount: 2n },
    { script: new Uint8Array(300).fill(0x6a), amount: 0n },
  ],
)

function chainOf(...contents: readonly (readonly MadeTransaction[])[]): MadeBlock[] {
  const blocks: MadeBlock[] = []
  for (const [i, transactions] of contents.entries()) {
    blocks.push(makeBlock(blocks.at(-1)?.hash ?? hashOf(0), 1_700_000_000 + i, transactions))
  }
  return blocks
}

function sourceOf(blocks: readonly MadeBlock[]): BlockSource {
  return {
    blockHashAt: async (height) => blocks[Number(height - FIRST)]?.hash ?? null,
    async rawBlock(hash) {
      const block = blocks.find((known) => known.hash === hash)
      if (block === undefined) throw new Error(`no block ${hash}`)
      return block.bytes
    },
  }
}

const watch = (...deposits: readonly string[]) => createWatchedSwaps([{ ...swapAt(key, regtest), deposits }])
const last = (blocks: readonly MadeBlock[]) => FIRST + BigInt(blocks.length) - 1n
const scan = async (source: BlockSource, watched: ReturnType<typeof watch>, from: bigint, to: bigint) =>
  (await scanBlocks(source, watched, regtest, from, to)).map(({ transaction, block }) => [transaction.txid(), block?.height])

describe('a scan', () => {
  it('finds payments to watched swaps and spends of known deposits, in order, and nothing else', async () => {
    const [paid, again, spent] = [pay(key, 1), pay(key, 2), spend(`${hashOf(3)}:5`)]
    const blocks = chainOf([noise, paid], [noise], [], [spent, noise, again], [noise], [noise])
    expect(await scan(sourceOf(blocks), watch(`${hashOf(3)}:5`), FIRST, last(blocks))).toEqual([
      [paid.txid, 100n],
      [spent.txid, 103n],
      [again.txid, 103n],
    ])
    expect(await scan(sourceOf(blocks), watch(`${hashOf(3)}:4`), FIRST, last(blocks))).toHaveLength(2)
    expect(await scan(sourceOf(blocks), createWatchedSwaps([]), FIRST, last(blocks))).toEqual([])
    const found = await scanBlocks(sourceOf(blocks), watch(), regtest, FIRST, FIRST)
    expect(found[0]?.block).toEqual({ height: FIRST, hash: blocks[0]?.hash, time: 1_700_000_000n })
  })

  it('reads one block by its hash, and asks for nothing else', async () => {
    const [paid, spent] = [pay(key, 1), spend(`${hashOf(3)}:5`)]
    const [block = { hash: '', bytes: new Uint8Array() }, other] = chainOf([noise, paid, spent], [noise])
    const asked: string[] = []
    const rawBlock = async (hash: string) => {
      asked.push(hash)
      return block.bytes
    }
    const found = await scanBlock({ rawBlock }, watch(`${hashOf(3)}:5`), regtest, { height: FIRST, hash: block.hash })
    expect(found.map(({ transaction, block: at }) => [transaction.txid(), at])).toEqual(
      [paid, spent].map(({ txid }) => [txid, { height: FIRST, hash: block.hash, time: 1_700_000_000n }]),
    )
    expect(asked).toEqual([block.hash])
    const otherHash = { height: FIRST, hash: other?.hash ?? '' }
    await expect(scanBlock({ rawBlock }, watch(), regtest, otherHash)).rejects.toThrow(failure('unreachable', /another block/))
  })

  it('finds the spend of a deposit that it found itself, also in the same block', async () => {
    const paid = pay(key, 1)
    const spent = spend(`${paid.txid}:0`)
    for (const contents of [[[paid, spent]], [[paid], [noise], [spent]], [[paid], [], [], [], [], [spent]]]) {
      const blocks = chainOf(...contents)
      expect((await scan(sourceOf(blocks), watch(), FIRST, last(blocks))).map(([txid]) => txid)).toEqual([paid.txid, spent.txid])
    }
  })

  it('fails when a reorg happens during the scan', async () => {
    const blocks = chainOf([pay(key, 1)], [], [noise], [], [pay(key, 2)], [])
    const other = chainOf([pay(key, 1)], [], [noise], [pay(key, 3)], [], [])
    // The reorg comes after the last read.
    let asked = 0
    const moving: BlockSource = {
      ...sourceOf(blocks),
      async blockHashAt(height) {
        asked += 1
        return sourceOf(asked > blocks.length ? other : blocks).blockHashAt(height)
      },
    }
    await expect(scan(moving, watch(), FIRST, last(blocks))).rejects.toThrow(failure('unreachable', /reorg while reading block 105/))
    // The reorg comes between two reads, so the blocks do not fit together.
    const torn = sourceOf([...blocks.slice(0, 3), ...other.slice(3)].with(4, blocks[4] ?? { hash: '', bytes: new Uint8Array() }))
    await expect(scan(torn, watch(), FIRST, last(blocks))).rejects.toThrow(failure('unreachable', /reorg while reading block 104/))
    await expect(scan(sourceOf(blocks), watch(), FIRST, last(blocks) + 1n)).rejects.toThrow(failure('unreachable', /no block 106/))
  })

  it('detects a transaction that a node added to a block', async () => {
    const blocks = chainOf([noise, pay(key, 1), noise], [noise], [noise, spend(`${hashOf(3)}:5`)])
    const count = (block: MadeBlock) => Buffer.from(block.bytes).readUInt16LE(81)
    for (const [index, added] of [
      [0, pay(key, 2)],
      [1, pay(key, 2)],
      [2, pay(key, 2)],
      [1, spend(`${hashOf(3)}:5`)],
    ] as const) {
      const real = blocks[index] ?? { hash: '', bytes: new Uint8Array() }
      const bytes = Buffer.concat([real.bytes, added.bytes])
      bytes.writeUInt16LE(count(real) + 1, 81)
      const liar = sourceOf(blocks.with(index, { ...real, bytes }))
      await expect(scan(liar, watch(`${hashOf(3)}:5`), FIRST, last(blocks))).rejects.toThrow(
        failure('unreachable', /are not those of block/),
      )
    }
  })

  it('detects transactions that a node repeats: the merkle root stays the same (CVE-2012-2459)', async () => {
    const [block] = chainOf([noise, spend(`${hashOf(3)}:5`), pay(key, 1)]) as [MadeBlock]
    const bytes = Buffer.concat([block.bytes, pay(key, 1).bytes])
    bytes.writeUInt16LE(4, 81)
    await expect(scan(sourceOf([{ ...block, bytes }]), watch(), FIRST, FIRST)).rejects.toThrow(
      failure('unreachable', /are not those of block/),
    )
  })

  it('rejects another block, and bytes that are not a block', async () => {
    const blocks = chainOf([noise], [noise])
    const liar = { ...sourceOf(blocks), rawBlock: async () => blocks[1]?.bytes ?? new Uint8Array() }
    await expect(scan(liar, watch(), FIRST, FIRST)).rejects.toThrow(failure('unreachable', /another block/))
    for (const length of [0, 79, 80, 100]) {
      const broken = { ...sourceOf(blocks), rawBlock: async () => (blocks[0]?.bytes ?? new Uint8Array()).slice(0, length) }
      await expect(scan(broken, watch(), FIRST, FIRST)).rejects.toThrow(failure('unreachable', /are not a block/))
    }
  })
})
