/**
 * Asks the nodes which open locks are settled: when a lock would be refused because too much is open, and slowly besides. The one that was read longest ago is read
 * first, and a pass reads a few of them, so that nobody makes the nodes busy by asking for locks. It reads more when more are open: some chains tell only for a time
 * how a source was spent.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Entry } from '../journal/entries.ts'
import type { History } from '../journal/history.ts'
import type { OpenLock } from '../journal/open-locks.ts'
import { readSettlement, type SettledContext } from './settled.ts'

export type SettlerContext = SettledContext & {
  readonly history: Pick<History, 'openLocks'>
  readonly log: Pick<Logger, 'warn'>
  write(entry: Entry): Promise<void>
}

export interface Settler {
  /** Resolves when a pass has ended that was as recent as passes may be. It leaves out locks that were read less than `minAgeSeconds` ago. */
  settle(minAgeSeconds?: bigint): Promise<void>
}

/** A pass reads so many locks, and this part (1/n) of all that are open. */
const LOCKS_PER_PASS = 8
const PART_PER_PASS = 64
/** Between the end of a pass and the next one. */
const COOLDOWN_SECONDS = 5n

export function createSettler(context: SettlerContext): Settler {
  const { history, log, now } = context
  const readAt = new Map<string, bigint>()
  const seenSettledAt = new Map<string, bigint>()
  let running: Promise<void> | null = null
  let endedAt: bigint | null = null

  async function pass(minAgeSeconds: bigint): Promise<void> {
    const open = history.openLocks()
    const known = new Set(open.map(({ secretHash }) => secretHash))
    for (const times of [readAt, seenSettledAt]) for (const hash of [...times.keys()]) if (!known.has(hash)) times.delete(hash)
    const timeOf = ({ secretHash }: OpenLock) => readAt.get(secretHash) ?? 0n
    const due = open
      .filter((lock) => now() - timeOf(lock) >= minAgeSeconds)
      .sort((a, b) => Number(timeOf(a) - timeOf(b)))
      .slice(0, LOCKS_PER_PASS + Math.floor(open.length / PART_PER_PASS))
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
    async settle(minAgeSeconds = 0n) {
      if (running === null && endedAt !== null && now() - endedAt < COOLDOWN_SECONDS) return
      running ??= pass(minAgeSeconds).finally(() => {
        running = null
        endedAt = now()
      })
      await running
    },
  }
}
