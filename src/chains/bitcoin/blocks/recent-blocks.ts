/** A cache of block headers by hash. A hash names one header forever, so entries never go stale. */
import type { Block } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'

const MAX_REMEMBERED = 2000

export function createRecentBlocks(fetchBlock: (hash: string) => Promise<Block>) {
  const known = new Map<string, Block>()
  return {
    async block(hash: string): Promise<Block> {
      const remembered = known.get(hash)
      if (remembered !== undefined) return remembered
      const block = await fetchBlock(hash)
      if (block.hash !== hash) throw new ChainFailure('unreachable', `the node answered with another header than that of ${hash}`)
      const [oldest] = known.keys()
      if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest)
      known.set(hash, block)
      return block
    },
  }
}
