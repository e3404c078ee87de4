// Locks owned objects. A validator signs one transaction for each version of an object, until the epoch ends. If a transaction reached only
// some validators and another one the others, neither can ever get a quorum.
import { type ObjectRef, ownedRefs, type TransactionData } from '../transactions/transaction.ts'

export interface Locks {
  conflict(data: TransactionData, digest: string): { readonly ref: ObjectRef; readonly holder: string } | null
  lock(data: TransactionData, digest: string): void
  release(digest: string): void
  clear(): void
}

export function createLocks(): Locks {
  const holders = new Map<string, Set<string>>()
  const keyOf = ({ objectId, version }: ObjectRef) => `${objectId}@${version}`

  return {
    conflict(data, digest) {
      for (const ref of ownedRefs(data)) {
        const other = [...(holders.get(keyOf(ref)) ?? [])].find((holder) => holder !== digest)
        if (other !== undefined) return { ref, holder: other }
      }
      return null
    },
    lock(data, digest) {
      for (const ref of ownedRefs(data)) holders.set(keyOf(ref), (holders.get(keyOf(ref)) ?? new Set()).add(digest))
    },
    release(digest) {
      for (const digests of holders.values()) digests.delete(digest)
    },
    clear: () => holders.clear(),
  }
}
