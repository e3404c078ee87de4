// Keeps checkpoints, and the transactions that are executed but in no checkpoint yet.
import type { ObjectStore } from '../objects/store.ts'
import { type Checkpoint, type ExecutedTransaction, makeCheckpoint } from './checkpoint.ts'

export type TransactionPlace = {
  readonly executed: ExecutedTransaction
  readonly checkpoint: Checkpoint | null
  readonly index: number
}

export interface Ledger {
  tip(): Checkpoint
  checkpoint(sequenceNumber: number): Checkpoint | null
  byDigest(digest: string): Checkpoint | null
  transaction(digest: string): TransactionPlace | null
  pending(): readonly ExecutedTransaction[]
  add(executed: ExecutedTransaction): void
  close(options: { readonly epoch: bigint; readonly timestampMs: number; readonly isEndOfEpoch: boolean }): Checkpoint
  /** Returns the removed transactions, oldest first. The real chain cannot do this. */
  undo(depth: number): readonly ExecutedTransaction[]
}

/** The time is fixed (1 January 2026), so that the first checkpoint always has the same digest. */
const GENESIS_MS = 1_767_225_600_000

export function createLedger(store: ObjectStore): Ledger {
  const first = makeCheckpoint(null, { epoch: 0n, timestampMs: GENESIS_MS, isEndOfEpoch: false, transactions: [], fork: 0 })
  const checkpoints: Checkpoint[] = [first]
  const byDigest = new Map([[first.digest, first]])
  const places = new Map<string, TransactionPlace>()
  let pending: ExecutedTransaction[] = []
  let fork = 0

  const tip = () => checkpoints[checkpoints.length - 1] ?? first

  function takeBack(executed: ExecutedTransaction): void {
    store.undo(executed.execution.before)
    places.delete(executed.transaction.digest)
  }

  return {
    tip,
    checkpoint: (sequenceNumber) => checkpoints[sequenceNumber] ?? null,
    byDigest: (digest) => byDigest.get(digest) ?? null,
    transaction: (digest) => places.get(digest) ?? null,
    pending: () => pending,
    add(executed) {
      store.apply(executed.execution.changes)
      places.set(executed.transaction.digest, { executed, checkpoint: null, index: pending.length })
      pending.push(executed)
    },
    close(options) {
      const checkpoint = makeCheckpoint(tip(), { ...options, transactions: pending, fork })
      pending = []
      checkpoints.push(checkpoint)
      byDigest.set(checkpoint.digest, checkpoint)
      for (const [index, executed] of checkpoint.transactions.entries())
        places.set(executed.transaction.digest, { executed, checkpoint, index })
      return checkpoint
    },
    undo(depth) {
      if (depth < 1 || depth >= checkpoints.length) throw new RangeError(`cannot replace ${depth} checkpoints of ${checkpoints.length - 1}`)
      fork += 1
      const removed = checkpoints.splice(checkpoints.length - depth)
      for (const { digest } of removed) byDigest.delete(digest)
      const transactions = [...removed.flatMap((checkpoint) => checkpoint.transactions), ...pending]
      pending = []
      for (const executed of transactions.toReversed()) takeBack(executed)
      return transactions
    },
  }
}
