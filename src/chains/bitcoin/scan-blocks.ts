/** Finds the transactions that matter in raw blocks, and proves that the blocks are one unbroken piece of the chain. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '../family.ts'
import type { SeenTransaction, Watch } from './events.ts'
import { asBlock } from './node-json.ts'
import type { ParsedBlock, ParsedTransaction } from './transaction.ts'

/** Blocks asked for at the same time: a few hide the latency, many would fill the memory. */
const READ_AHEAD = 4n

export interface BlockSource {
  /** The hash at this height in the best chain; null above the tip. */
  blockHashAt(height: bigint): Promise<string | null>
  rawBlock(hash: string): Promise<Uint8Array>
}

export async function scanBlocks(source: BlockSource, watch: Watch, from: bigint, to: bigint): Promise<readonly SeenTransaction[]> {
  const outpoints = new Set(watch.outpoints)
  const found: SeenTransaction[] = []
  let parentHash: string | null = null
  for (let height = from; height <= to; height += READ_AHEAD) {
    for (const { header, height: at, transactions } of await readBlocks(source, height, to)) {
      if (parentHash !== null && header.parentHash !== parentHash) throw reorgWhileReading(at)
      const { hash, time } = header
      for (const transaction of transactions) {
        if (touches(transaction, watch.scripts, outpoints)) found.push({ transaction, block: { height: at, hash, time } })
      }
      parentHash = hash
    }
  }
  // A block names its parent, so if the last one is still in the best chain then all of them are.
  if (parentHash !== null && (await source.blockHashAt(to)) !== parentHash) throw reorgWhileReading(to)
  return found
}

/** Up to `READ_AHEAD` blocks at once. */
function readBlocks(source: BlockSource, from: bigint, to: bigint) {
  const heights = Array.from({ length: Number(to - from < READ_AHEAD ? to - from + 1n : READ_AHEAD) }, (_, i) => from + BigInt(i))
  return Promise.all(heights.map(async (height) => ({ height, ...(await readBlock(source, height)) })))
}

export async function readBlock(source: BlockSource, height: bigint): Promise<ParsedBlock> {
  const hash = await source.blockHashAt(height)
  if (hash === null) throw new ChainFailure('unreachable', `there is no block ${height} now: reorg while reading`)
  const block = asBlock(await source.rawBlock(hash))
  if (block.header.hash !== hash) throw new ChainFailure('unreachable', `the node answered with another block than ${hash}`)
  return block
}

/** Outputs found for a watched script are added to `outpoints`: they may be spent later in the same scan. */
function touches(transaction: ParsedTransaction, scripts: ReadonlySet<string>, outpoints: Set<string>): boolean {
  let isTouched = transaction.inputs.some((input) => outpoints.has(input.outpoint))
  for (const [vout, output] of transaction.outputs.entries()) {
    if (!scripts.has(bytesToHex(output.script))) continue
    outpoints.add(`${transaction.txid()}:${vout}`)
    isTouched = true
  }
  return isTouched
}

export function reorgWhileReading(height: bigint): ChainFailure {
  return new ChainFailure('unreachable', `reorg while reading block ${height}`)
}
