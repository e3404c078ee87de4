/** Finds the transactions of watched swaps in raw blocks, and checks that the blocks link up to one chain. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import type { SeenTransaction } from '../events.ts'
import { taprootAddressAt } from '../script/taproot-address.ts'
import { parseTransaction } from '../script/transaction.ts'
import { merkleRootOf } from './merkle-root.ts'
import { asRawBlock, outpointAt, type RawBlock } from './transaction-walk.ts'

/** Four blocks in parallel are enough to hide the latency, and few enough for the memory. */
const READ_AHEAD = 4n

export interface BlockSource {
  /** The hash is null above the tip. */
  blockHashAt(height: bigint): Promise<string | null>
  rawBlock(hash: string): Promise<Uint8Array>
}

export async function scanBlocks(
  source: BlockSource,
  watched: WatchedSwaps,
  network: BitcoinNetwork,
  from: bigint,
  to: bigint,
): Promise<readonly SeenTransaction[]> {
  const scanner = createScanner(watched, network)
  const found: SeenTransaction[] = []
  let parentHash: string | null = null
  for (let height = from; height <= to; height += READ_AHEAD) {
    for (const { block, height: at } of await readBlocks(source, height, to)) {
      if (parentHash !== null && block.header.parentHash !== parentHash) throw reorgWhileReading(at)
      found.push(...(await scanner.scan(block, at)))
      parentHash = block.header.hash
    }
  }
  // Each block commits to its parent: if the last one is still in the best chain, all of them are.
  if (parentHash !== null && (await source.blockHashAt(to)) !== parentHash) throw reorgWhileReading(to)
  return found
}

/** Scans one block by its hash. Neither its height nor its place in the best chain is read. */
export async function scanBlock(
  source: Pick<BlockSource, 'rawBlock'>,
  watched: WatchedSwaps,
  network: BitcoinNetwork,
  { height, hash }: Pick<Block, 'height' | 'hash'>,
): Promise<readonly SeenTransaction[]> {
  return createScanner(watched, network).scan(await blockOf(source, hash), height)
}

function readBlocks(source: BlockSource, from: bigint, to: bigint) {
  const heights = Array.from({ length: Number(to - from < READ_AHEAD ? to - from + 1n : READ_AHEAD) }, (_, i) => from + BigInt(i))
  return Promise.all(heights.map(async (height) => ({ height, block: await readBlock(source, height) })))
}

export async function readBlock(source: BlockSource, height: bigint): Promise<RawBlock> {
  const hash = await source.blockHashAt(height)
  if (hash === null) throw new ChainFailure('unreachable', `there is no block ${height} now: reorg while reading`)
  return blockOf(source, hash)
}

async function blockOf(source: Pick<BlockSource, 'rawBlock'>, hash: string): Promise<RawBlock> {
  const block = asRawBlock(await source.rawBlock(hash))
  if (block.header.hash !== hash) throw new ChainFailure('unreachable', `the node answered with another block than ${hash}`)
  return block
}

function assertOwnTransactions(block: RawBlock): void {
  if (merkleRootOf(block) !== block.header.merkleRoot)
    throw new ChainFailure('unreachable', `the transactions that the node sent are not those of block ${block.header.hash}`)
}

type Seen = {
  readonly start: number
  readonly end: number
  readonly spent: readonly string[]
  readonly paid: readonly { readonly vout: number; readonly address: string }[]
}

/** Remembers the deposits that it finds: they may be spent later in the same scan. */
function createScanner(watched: WatchedSwaps, network: BitcoinNetwork) {
  const deposits = new Set<string>()

  return {
    async scan(block: RawBlock, height: bigint): Promise<readonly SeenTransaction[]> {
      const seen = transactionsOf(block, network)
      const swaps = await watched.find({
        swapIds: new Set(seen.flatMap(({ paid }) => paid.map(({ address }) => address))),
        spent: seen.flatMap(({ spent }) => spent),
      })
      const { hash, time } = block.header
      const found: SeenTransaction[] = []
      for (const { start, end, spent, paid } of seen) {
        const vouts = paid.filter(({ address }) => swaps.bySwapId(address) !== undefined).map(({ vout }) => vout)
        if (vouts.length === 0 && !spent.some((outpoint) => deposits.has(outpoint) || swaps.byDeposit(outpoint) !== undefined)) continue
        const transaction = parseTransaction(block.bytes.toString('hex', start, end), network)
        for (const vout of vouts) deposits.add(`${transaction.txid()}:${vout}`)
        found.push({ transaction, block: { height, hash, time } })
      }
      // Hashing is costly, so check only blocks with a match: then a node cannot add transactions. `proveBlock` proves that it omits none.
      if (found.length > 0) assertOwnTransactions(block)
      return found
    },
  }
}

/** Reads taproot outputs only, because HTLCs are taproot outputs. */
function transactionsOf({ bytes, walk }: RawBlock, network: BitcoinNetwork): readonly Seen[] {
  const seen: Seen[] = []
  walk(({ start, end, inputs, outputs }) => {
    const paid: { readonly vout: number; readonly address: string }[] = []
    for (let i = 0; i < outputs.length; i += 2) {
      const address = taprootAddressAt(bytes, network, outputs[i], outputs[i + 1])
      if (address !== null) paid.push({ vout: i / 2, address })
    }
    seen.push({ start, end, spent: inputs.map((position) => outpointAt(bytes, position)), paid })
  })
  return seen
}

export function reorgWhileReading(height: bigint): ChainFailure {
  return new ChainFailure('unreachable', `reorg while reading block ${height}`)
}
