/** Keeps the attempts of one key on one chain in memory, under a clock that only the test moves. */
import type { Key } from '@tandem/keys/key.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import type { Purpose } from '@tandem/keys/purpose.ts'
import type { Attempt, HeldKey, OtherAttempt, OthersQuery, Outbox, Sponsor } from '../port/outbox.ts'

/** A test may sign and record without taking the key. `others` are as they were when the outbox was opened. */
export type OpenOutbox = Outbox & Pick<HeldKey, 'signer' | 'record'> & { readonly others: readonly OtherAttempt[] }

export function opened(outbox: OpenOutbox): { readonly outbox: Outbox; readonly others: readonly OtherAttempt[] } {
  return { outbox, others: outbox.others }
}

export interface MemoryOutbox {
  /** The outbox opens as the engine would open it now. The same key continues the same action. */
  open(
    key: string,
    options?: {
      readonly secondsLeft?: bigint
      readonly fault?: OutboxFault
      readonly purpose?: Purpose
      readonly sponsor?: MemorySponsor
    },
  ): OpenOutbox
  attempts(key: string): readonly Attempt[]
  readonly reverted: ReadonlySet<string>
  readonly revertWeights: ReadonlyMap<string, number | undefined>
  readonly madeDue: readonly string[]
  /** The action is not wanted from now on: its transactions may be replaced. */
  abandon(key: string): void
  passSeconds(seconds: bigint): void
}

/** `others` records the attempts that its key signs for other actions. `charged` has the charges in their order. */
export type MemorySponsor = { readonly key: Key; readonly others: MemoryOutbox; readonly budget: bigint; readonly charged: bigint[] }

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
  const revertWeights = new Map<string, number | undefined>()
  const madeDue: string[] = []
  let now = 1_700_000_000n
  let queue: Promise<unknown> = Promise.resolve()

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work)
    queue = done.catch(() => undefined)
    return done
  }

  return {
    open(key, { secondsLeft, fault, purpose = testPurpose, sponsor } = {}) {
      /** This is the rule of the database: an attempt without a nonce is never selected by nonce. */
      const isFrom = ({ nonce }: Attempt, fromNonce: bigint | undefined) =>
        fromNonce === undefined || (nonce !== undefined && nonce >= fromNonce)
      const selectOthers = ({ fromNonce, since = 0n }: OthersQuery = {}): readonly OtherAttempt[] =>
        recorded
          .filter((r) => r.key !== key && isFrom(r.attempt, fromNonce) && r.attempt.at >= since)
          .map((r) => ({ ...r.attempt, wanted: !abandoned.has(r.key) }))
      const readOthers = async (query?: OthersQuery) => selectOthers(query)
      const signer = owner.signerFor(purpose)
      async function record(attempt: Omit<Attempt, 'at'>): Promise<void> {
        if (fault === 'lost-lease') throw new OutboxFailure(fault)
        recorded.push({ key, attempt: { ...attempt, at: now } })
        if (fault === 'dies-after-recording') throw new OutboxFailure(fault)
      }
      return {
        key: owner,
        attempts: recorded.filter((r) => r.key === key).map((r) => r.attempt),
        readOthers,
        withKey: (work) => enqueue(() => work({ signer, readOthers, record })),
        ...(sponsor !== undefined && {
          sponsor: {
            key: sponsor.key,
            withKey: (work) => {
              const { readOthers: ofSponsor, record: forSponsor } = sponsor.others.open(key)
              const recordBoth = async (attempt: Omit<Attempt, 'at'>) => {
                await forSponsor(attempt)
                await record(attempt)
              }
              const held = { signer, sponsor: sponsor.key.signerFor(purpose), readOthers: ofSponsor, record: recordBoth }
              return enqueue(() => work(held))
            },
            async charge(amount) {
              sponsor.charged.push(amount)
              return amount <= sponsor.budget
            },
          } satisfies Sponsor,
        }),
        signer,
        record,
        others: selectOthers(),
        async makeDue(tx) {
          madeDue.push(tx)
        },
        async noteReverted(tx, weight) {
          reverted.add(tx)
          revertWeights.set(tx, weight)
        },
        secondsLeft: secondsLeft ?? null,
        now,
      }
    },
    attempts: (key) => recorded.filter((r) => r.key === key).map((r) => r.attempt),
    reverted,
    revertWeights,
    madeDue,
    abandon(key) {
      abandoned.add(key)
    },
    passSeconds(seconds) {
      now += seconds
    },
  }
}
