// Builds checkpoints: their summaries and contents as BCS, and the digests that chain them.
import { bcs } from '@mysten/sui/bcs'
import type { Effects } from '../execution/effects.ts'
import type { Execution } from '../execution/execute.ts'
import { digestOf } from '../objects/digest.ts'
import type { Transaction } from '../transactions/transaction.ts'

export type ExecutedTransaction = {
  readonly transaction: Transaction
  readonly signatures: readonly Uint8Array[]
  readonly execution: Execution
  readonly effects: Effects
  readonly epoch: bigint
}

export type Checkpoint = {
  readonly sequenceNumber: number
  readonly epoch: bigint
  readonly timestampMs: number
  readonly digest: string
  readonly previousDigest: string | null
  readonly contentDigest: string
  /** The number covers the whole chain, including this checkpoint. */
  readonly totalTransactions: number
  readonly isEndOfEpoch: boolean
  readonly transactions: readonly ExecutedTransaction[]
  /** The number makes a replacing checkpoint differ from the one that it replaces. */
  readonly fork: number
}

export type NewCheckpoint = Pick<Checkpoint, 'epoch' | 'timestampMs' | 'isEndOfEpoch' | 'transactions' | 'fork'>

const GasSummary = bcs.struct('GasCostSummary', {
  computationCost: bcs.u64(),
  storageCost: bcs.u64(),
  storageRebate: bcs.u64(),
  nonRefundableStorageFee: bcs.u64(),
})
const Digest = bcs.ObjectDigest
const Commitment = bcs.enum('CheckpointCommitment', { ECMHLiveObjectSetDigest: bcs.struct('ECMHLiveObjectSetDigest', { digest: Digest }) })
const EndOfEpochData = bcs.struct('EndOfEpochData', {
  nextEpochCommittee: bcs.vector(bcs.tuple([bcs.byteVector(), bcs.u64()])),
  nextEpochProtocolVersion: bcs.u64(),
  epochCommitments: bcs.vector(Commitment),
})
const Summary = bcs.struct('CheckpointSummary', {
  epoch: bcs.u64(),
  sequenceNumber: bcs.u64(),
  networkTotalTransactions: bcs.u64(),
  contentDigest: Digest,
  previousDigest: bcs.option(Digest),
  epochRollingGasCostSummary: GasSummary,
  timestampMs: bcs.u64(),
  checkpointCommitments: bcs.vector(Commitment),
  endOfEpochData: bcs.option(EndOfEpochData),
  versionSpecificData: bcs.byteVector(),
})
const Contents = bcs.enum('CheckpointContents', {
  V1: bcs.struct('CheckpointContentsV1', {
    transactions: bcs.vector(bcs.struct('ExecutionDigests', { transaction: Digest, effects: Digest })),
    userSignatures: bcs.vector(bcs.vector(bcs.byteVector())),
  }),
})

export const PROTOCOL_VERSION = 1n
const noGas = { computationCost: 0n, storageCost: 0n, storageRebate: 0n, nonRefundableStorageFee: 0n }

export function makeCheckpoint(previous: Checkpoint | null, content: NewCheckpoint): Checkpoint {
  const { transactions } = content
  const unsigned = {
    ...content,
    sequenceNumber: previous === null ? 0 : previous.sequenceNumber + 1,
    timestampMs: Math.max(previous?.timestampMs ?? 0, content.timestampMs),
    totalTransactions: (previous?.totalTransactions ?? 0) + transactions.length,
    previousDigest: previous?.digest ?? null,
    contentDigest: transactions.length === 0 ? emptyContents : contentsDigest(transactions),
  }
  return { ...unsigned, digest: digestOf('CheckpointSummary', encodeSummary(unsigned)) }
}

export function encodeSummary(checkpoint: Omit<Checkpoint, 'digest'>): Uint8Array {
  const { epoch, sequenceNumber, totalTransactions, contentDigest, previousDigest, timestampMs, isEndOfEpoch, fork } = checkpoint
  return Summary.serialize({
    epoch,
    sequenceNumber,
    networkTotalTransactions: totalTransactions,
    contentDigest,
    previousDigest,
    epochRollingGasCostSummary: noGas,
    timestampMs,
    checkpointCommitments: [],
    endOfEpochData: isEndOfEpoch ? { nextEpochCommittee: [], nextEpochProtocolVersion: PROTOCOL_VERSION, epochCommitments: [] } : null,
    versionSpecificData: bcs.u64().serialize(fork).toBytes(),
  }).toBytes()
}

export function encodeContents(transactions: readonly ExecutedTransaction[]): Uint8Array {
  return Contents.serialize({
    V1: {
      transactions: transactions.map(({ transaction, effects }) => ({ transaction: transaction.digest, effects: effects.digest })),
      userSignatures: transactions.map(({ signatures }) => [...signatures]),
    },
  }).toBytes()
}

const contentsDigest = (transactions: readonly ExecutedTransaction[]) => digestOf('CheckpointContents', encodeContents(transactions))
/** Most checkpoints have these epoch-end fields. */
const emptyContents = contentsDigest([])
