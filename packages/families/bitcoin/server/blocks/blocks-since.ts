/** Tells whether there is a new block since a transaction was signed or sent. Without one, a fee bump or a rebroadcast is useless. */
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'

/** Consensus allows block times this far ahead of real time. A block with a later time is certainly new. */
const BLOCK_TIME_ERROR_SECONDS = 7200n

const MAX_CACHED = 10_000

export interface BlocksSince {
  note(tx: string): Promise<void>
  hasNewBlockSince(attempt: Pick<Attempt, 'tx' | 'at'>): Promise<boolean>
  /** The result is true once per new tip: some peers may have dropped the transaction, so it is broadcast again. */
  isRebroadcastDue(tx: string): Promise<boolean>
}

/**
 * The tip at which each transaction was first seen is in memory, because neither block times nor our clock are exact to the minute.
 * A transaction of an earlier process counts as seen when it is first asked about, and is rebroadcast then.
 */
export function createBlocksSince(backend: Pick<BitcoinBackend, 'tip'>): BlocksSince {
  const heights = new Map<string, bigint>()
  const sentAt = new Map<string, string>()

  async function heightsOf(tx: string) {
    const tip = await backend.tip()
    const height = heights.get(tx) ?? tip.height
    remember(heights, tx, height)
    return { tip, height }
  }

  return {
    async note(tx) {
      const { tip } = await heightsOf(tx)
      remember(sentAt, tx, tip.hash)
    },
    async hasNewBlockSince({ tx, at }) {
      const { tip, height } = await heightsOf(tx)
      return tip.height > height || tip.time > at + BLOCK_TIME_ERROR_SECONDS
    },
    async isRebroadcastDue(tx) {
      const { hash } = await backend.tip()
      const before = sentAt.get(tx)
      remember(sentAt, tx, hash)
      return before !== hash
    },
  }
}

function remember<T>(known: Map<string, T>, tx: string, value: T): void {
  if (known.size >= MAX_CACHED && !known.has(tx)) known.clear()
  known.set(tx, value)
}
