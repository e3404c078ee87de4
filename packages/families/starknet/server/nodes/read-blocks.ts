/** Reads blocks of one provider. Pre-confirmed blocks have no hash, and never count. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type Json, malformed, record, whole } from '@tandem/chain-kit/providers/json.ts'
import { felt, quantity } from './json.ts'
import { type GasPrices, type NodeBlock, NodeRefusal, type StarknetNode } from './node.ts'
import { asUnreachable, codes, type Rpc } from './rpc.ts'

type BlockId = 'latest' | 'l1_accepted' | { readonly block_number: number }

/** No method gives a header alone; this one also has the hashes of the transactions. */
const METHOD = 'starknet_getBlockWithTxHashes'

export function createBlockReader(rpc: Rpc): Pick<StarknetNode, 'block' | 'blocks' | 'finalHeight'> {
  async function find(block_id: BlockId): Promise<Json | null> {
    try {
      return record(await rpc.request(METHOD, { block_id }))
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      if (error.code === codes.blockNotFound || error.code === codes.noBlocks) return null
      throw asUnreachable(METHOD, error)
    }
  }

  async function block(height: bigint | 'latest'): Promise<NodeBlock | null> {
    const found = await find(height === 'latest' ? height : { block_number: Number(height) })
    if (found === null) return null
    const parsed = parseBlock(found)
    if (height !== 'latest' && parsed.height !== height) throw malformed(`block ${height}`)
    return parsed
  }

  return {
    block,
    blocks: async (heights) => (await Promise.all(heights.map(block))).flatMap((found) => found ?? []),
    async finalHeight() {
      const found = await find('l1_accepted')
      return found === null ? 0n : whole(found.block_number)
    },
  }
}

export async function newestOf(node: Pick<StarknetNode, 'block'>): Promise<NodeBlock> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no block')
  return block
}

/** The key has the whole header: a false time or price beside a true hash must not pass as the same block. */
export function keyOfBlock({ height, hash, parentHash, time, gasPrices }: NodeBlock): string {
  return [height, hash, parentHash, time, gasPrices.l1Gas, gasPrices.l1DataGas, gasPrices.l2Gas].join(' ')
}

function parseBlock(block: Json): NodeBlock {
  return {
    height: whole(block.block_number),
    hash: felt(block.block_hash),
    parentHash: felt(block.parent_hash),
    time: whole(block.timestamp),
    gasPrices: parsePrices(block),
  }
}

function parsePrices({ l1_gas_price, l1_data_gas_price, l2_gas_price }: Json): GasPrices {
  const inFri = (price: unknown) => quantity(record(price).price_in_fri)
  return { l1Gas: inFri(l1_gas_price), l1DataGas: inFri(l1_data_gas_price), l2Gas: inFri(l2_gas_price) }
}
