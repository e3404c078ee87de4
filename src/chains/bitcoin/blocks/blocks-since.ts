/** Which blocks have come since a transaction was signed or sent: without a new one, a higher fee buys nothing and sending again helps nobody. */
import type { Attempt } from '../../port/outbox.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'

/** Consensus allows a block's time to be this far ahead of the truth, so a block that is even later is certainly new. */
const BLOCK_TIME_ERROR_SECONDS = 7200n

const MAX_REMEMBERED = 10_000

export interface BlocksSince {
  /** To be called when the transaction is signed. */
  note(tx: string): Promise<void>
  isOneSince(attempt: Pick<Attempt, 'tx' | 'at'>): Promise<boolean>
  /** True once for each new tip: then the transaction is to be sent again. Nodes pass on what is sent to them again, and other nodes may have lost it. */
  isResendDue(tx: string): Promise<boolean>
}

/** Kept in memory, because neither the times of blocks nor our own clock can be compared to the minute. What another process signed counts from when it was first asked about, and is sent again then. */
export function createBlocksSince(backend: Pick<BitcoinBackend, 'tip'>): BlocksSince {
  const heights = new Map<string, bigint>()
  const sentAt = new Map<string, string>()

  async function look(tx: string) {
    const tip = await backend.tip()
    const height = heights.get(tx) ?? tip.height
    remember(heights, tx, height)
    return { tip, height }
  }

  return {
    async note(tx) {
      const { tip } = await look(tx)
      remember(sentAt, tx, tip.hash)
    },
    async isOneSince({ tx, at }) {
      const { tip, height } = await look(tx)
      return tip.height > height || tip.time > at + BLOCK_TIME_ERROR_SECONDS
    },
    async isResendDue(tx) {
      const { hash } = await backend.tip()
      const before = sentAt.get(tx)
      remember(sentAt, tx, hash)
      return before !== hash
    },
  }
}

function remember<T>(known: Map<string, T>, tx: string, value: T): void {
  if (known.size >= MAX_REMEMBERED && !known.has(tx)) known.clear()
  known.set(tx, value)
}
