/** Whether a transaction has had a chance to be mined since it was signed: without a new block, a higher fee buys nothing. */
import type { Attempt } from '../family.ts'
import type { BitcoinBackend } from './backend.ts'

/** Consensus allows a block's time to be this far ahead of the truth, so a block that is even later is certainly new. */
const BLOCK_TIME_ERROR_SECONDS = 7200n

const MAX_REMEMBERED = 10_000

export interface BlocksSince {
  /** To be called when the transaction is signed. */
  note(tx: string): Promise<void>
  isOneSince(attempt: Pick<Attempt, 'tx' | 'at'>): Promise<boolean>
}

/** Heights are remembered, because neither the times of blocks nor our own clock can be compared to the minute. What another process signed counts from when it was first asked about. */
export function createBlocksSince(backend: Pick<BitcoinBackend, 'tip'>): BlocksSince {
  const heights = new Map<string, bigint>()

  async function look(tx: string) {
    const tip = await backend.tip()
    const height = heights.get(tx) ?? tip.height
    if (heights.size >= MAX_REMEMBERED) heights.clear()
    heights.set(tx, height)
    return { tip, height }
  }

  return {
    async note(tx) {
      await look(tx)
    },
    async isOneSince({ tx, at }) {
      const { tip, height } = await look(tx)
      return tip.height > height || tip.time > at + BLOCK_TIME_ERROR_SECONDS
    },
  }
}
