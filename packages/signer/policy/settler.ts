/**
 * Asks the nodes which open locks are settled: when a lock would be refused because too much is open, and slowly besides. The one that was read longest ago is read
 * first, and a pass reads a few of them, so that nobody makes the nodes busy by asking for locks.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Entry } from '../journal/entries.ts'
import type { History } from '../journal/history.ts'
import { readSettlement, type SettledContext } from './settled.ts'

export type SettlerContext = SettledContext & {
  readonly history: Pick<History, 'openLocks'>
  readonly log: Pick<Logger, 'warn'>
  write(entry: Entry): Promise<void>
}

export interface Settler {
  /** Resolves when a pass has ended that was as recent as passes may be. */
  settle(): Promise<void>
}

const LOCKS_PER_PASS = 8
/** Between the end of a pass and the next one. */
const COOLDOWN_SECONDS = 5n

export function createSettler(context: SettlerContext): Settler {
  const { history, log, now } = context
  const readAt = new Map<string, bigint>()
  const seenSettledAt = new Map<string, bigint>()
  let running: Promise<void> | null = null
  let endedAt: bigint | null = null

  async function pass(): Promise<void> {
    const open = history.openLocks()
    const known = new Set(open.map(({ secretHash }) => secretHash))
    for (const times of [readAt, seenSettledAt]) for (const hash of [...times.keys()]) if (!known.has(hash)) times.delete(hash)
    const timeOf = (hash: string) => readAt.get(hash) ?? -1n
    const due = [...open].sort((a, b) => Number(timeOf(a.secretHash) - timeOf(b.secretHash))).slice(0, LOCKS_PER_PASS)
    await Promise.all(
      due.map(async (lock) => {
        const { secretHash } = lock
        readAt.set(secretHash, now())
        try {
          const settlement = await readSettlement(context, lock)
          if (settlement === null) {
            seenSettledAt.delete(secretHash)
            return
          }
          const { why, afterSeconds } = settlement
          const since = seenSettledAt.get(secretHash) ?? now()
          seenSettledAt.set(secretHash, since)
          if (now() - since >= BigInt(afterSeconds))
            await context.write({ kind: 'settled', at: Number(now()), secret_hash: secretHash, why })
        } catch (error) {
          if (!(error instanceof ChainFailure)) throw error
          log.warn({ err: error, chain: lock.chain }, 'the nodes do not say whether a lock is settled: it stays open')
        }
      }),
    )
  }

  return {
    async settle() {
      if (running === null && endedAt !== null && now() - endedAt < COOLDOWN_SECONDS) return
      running ??= pass().finally(() => {
        running = null
        endedAt = now()
      })
      await running
    },
  }
}
