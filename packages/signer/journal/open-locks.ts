/**
 * Locks that count as open: from their first grant until the signer's own nodes have shown that they are settled. One that is signed again after that is open again:
 * the new transaction could still be mined.
 */
import type { LockEntry, TermsEntry } from './entries.ts'

export type OpenLock = {
  readonly secretHash: string
  readonly worth: bigint
  readonly chain: string
  readonly terms: TermsEntry
  readonly source: { readonly chain: string; readonly terms: TermsEntry; readonly deposits: readonly string[] }
  readonly unfinalUntil: number
  /** Its source cannot be refunded before. */
  readonly sourceEnds: number
  /** Its timelock has ended then, if it was sent at once. */
  readonly ends: number
  /** Each may be mined. */
  readonly transactions: readonly { readonly marks: readonly string[]; readonly id: string | null }[]
}

export interface OpenLocks {
  note(entry: LockEntry): void
  settle(secretHash: string): void
  isSettled(secretHash: string): boolean
  all(): readonly OpenLock[]
  worth(): bigint
}

export function createOpenLocks(): OpenLocks {
  const locks = new Map<string, OpenLock>()
  const settled = new Map<string, OpenLock>()
  return {
    note(entry) {
      const { secret_hash: secretHash, fee, transaction } = entry
      const before = locks.get(secretHash) ?? settled.get(secretHash)
      settled.delete(secretHash)
      locks.set(secretHash, {
        ...(before ?? openLockOf(entry)),
        transactions: [...(before?.transactions ?? []), { marks: fee?.marks ?? [], id: transaction }],
      })
    },
    settle(secretHash) {
      const lock = locks.get(secretHash)
      if (lock === undefined) return
      locks.delete(secretHash)
      settled.set(secretHash, lock)
    },
    isSettled: (secretHash) => settled.has(secretHash),
    all: () => [...locks.values()],
    worth: () => [...locks.values()].reduce((sum, { worth }) => sum + worth, 0n),
  }
}

function openLockOf(entry: LockEntry): Omit<OpenLock, 'transactions'> {
  const { chain, terms, source, source_terms: sourceTerms, deposits } = entry
  return {
    secretHash: entry.secret_hash,
    worth: BigInt(entry.worth),
    chain,
    terms,
    source: { chain: source, terms: sourceTerms, deposits },
    unfinalUntil: entry.unfinal_until,
    sourceEnds: entry.source_ends,
    ends: entry.ends,
  }
}
