/** A cache of block headers by hash. A hash commits to its header, so entries never go stale. */
import type { Block } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'

const MAX_CACHED = 2000

export function createRecentBlocks(fetchBlock: (hash: string) => Promise<Block>) {
  const known = new Map<string, Block>()
  return {
    async block(hash: string): Promise<Block> {
      const cached = known.get(hash)
      if (cached !== undefined) return cached
      const block = await fetchBlock(hash)
      if (block.hash !== hash) throw new ChainFailure('unreachable', `the node answered with another header than that of ${hash}`)
      const [oldest] = known.keys()
      if (known.size >= MAX_CACHED && oldest !== undefined) known.delete(oldest)
      known.set(hash, block)
      return block
    },
  }
}
