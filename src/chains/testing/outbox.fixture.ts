/** The outbox of a test: the attempts of one key on one chain, in memory, under a clock that only the test moves. */

import type { Key } from '../../keys/key.ts'
import { testPurpose } from '../../keys/keys.fixture.ts'
import type { Purpose } from '../../keys/purpose.ts'
import type { Attempt, Outbox } from '../port/outbox.ts'

export interface MemoryOutbox {
  /** The outbox of one action as the engine would open it now; the same key continues the same action. */
  open(key: string, options?: { readonly secondsLeft?: bigint; readonly fault?: OutboxFault; readonly purpose?: Purpose }): Outbox
  attempts(key: string): readonly Attempt[]
  /** Hashes of the transactions that were noted as reverted. */
  readonly reverted: ReadonlySet<string>
  /** The action is no longer wanted: its transactions may be replaced. */
  abandon(key: string): void
  passSeconds(seconds: bigint): void
}

/**
 * lost-lease            the attempt is not recorded, because another engine has taken over the action
 * dies-after-recording  the attempt is recorded, and the process ends before it can broadcast
 */
export type OutboxFault = 'lost-lease' | 'dies-after-recording'

export class OutboxFailure extends Error {
  constructor(fault: OutboxFault) {
    super(`outbox: ${fault}`)
    this.name = 'OutboxFailure'
  }
}

export function createMemoryOutbox(owner: Key): MemoryOutbox {
  const recorded: { readonly key: string; readonly attempt: Attempt }[] = []
  const abandoned = new Set<string>()
  const reverted = new Set<string>()
  let now = 1_700_000_000n

  return {
    open(key, { secondsLeft, fault, purpose = testPurpose } = {}) {
      return {
        signer: owner.signerFor(purpose),
        attempts: recorded.filter((r) => r.key === key).map((r) => r.attempt),
        others: recorded.filter((r) => r.key !== key).map((r) => ({ ...r.attempt, wanted: !abandoned.has(r.key) })),
        async record(attempt) {
          if (fault === 'lost-lease') throw new OutboxFailure(fault)
          recorded.push({ key, attempt: { ...attempt, at: now } })
          if (fault === 'dies-after-recording') throw new OutboxFailure(fault)
        },
        async noteReverted(tx) {
          reverted.add(tx)
        },
        secondsLeft: secondsLeft ?? null,
        now,
      }
    },
    attempts: (key) => recorded.filter((r) => r.key === key).map((r) => r.attempt),
    reverted,
    abandon(key) {
      abandoned.add(key)
    },
    passSeconds(seconds) {
      now += seconds
    },
  }
}
