// Shows executed transactions and checkpoints as messages of gRPC.
import type { GrpcTypes } from '@mysten/sui/grpc'
import { type Checkpoint, type ExecutedTransaction, encodeContents, encodeSummary } from '../chain/checkpoint.ts'
import type { TransactionPlace } from '../chain/ledger.ts'
import type { EmittedEvent } from '../execution/scratch.ts'
import { readCoin } from '../objects/coin.ts'
import type { SuiObject } from '../objects/object.ts'
import { transactionMessage } from '../transactions/proto-transaction.ts'
import { effectsMessage } from './effects-message.ts'
import { objectMessage } from './object-message.ts'

export function timestampOf(ms: number): NonNullable<GrpcTypes.Epoch['start']> {
  const seconds = Math.floor(ms / 1_000)
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1_000) * 1_000_000 }
}

/** `place` is null for a simulation. */
export function executedMessage(executed: ExecutedTransaction, place: TransactionPlace | null): GrpcTypes.ExecutedTransaction {
  const { transaction, signatures, effects, execution } = executed
  const checkpoint = place?.checkpoint ?? null
  const objects = [...execution.before.values(), ...execution.changes.values()].filter((object) => object !== null)
  return {
    digest: transaction.digest,
    transaction: transactionMessage(transaction),
    signatures: signatures.map((value) => ({ bcs: { name: 'UserSignatureBytes', value }, signature: { oneofKind: undefined } })),
    effects: effectsMessage(executed),
    ...(effects.eventsBytes !== null && {
      events: {
        bcs: { name: 'TransactionEvents', value: effects.eventsBytes },
        ...(effects.eventsDigest !== null && { digest: effects.eventsDigest }),
        events: execution.events.map(eventMessage),
      },
    }),
    ...(checkpoint !== null && { checkpoint: BigInt(checkpoint.sequenceNumber), timestamp: timestampOf(checkpoint.timestampMs) }),
    balanceChanges: balanceChanges(executed),
    objects: { objects: objects.map(objectMessage) },
    ...(place !== null && checkpoint !== null && { transactionIndex: BigInt(place.index) }),
  }
}

function eventMessage({ packageId, module, sender, type, contents }: EmittedEvent): GrpcTypes.Event {
  return { packageId, module, sender, eventType: type, contents: { name: type, value: contents } }
}

/** Balances are by address and currency; coins of objects are no balance of anyone. */
function balanceChanges({ execution: { before, changes } }: ExecutedTransaction): GrpcTypes.BalanceChange[] {
  const sums = new Map<string, bigint>()
  const count = (object: SuiObject | null, sign: bigint) => {
    const coin = object === null ? null : readCoin(object)
    if (object?.owner.kind !== 'address' || coin === null) return
    const key = `${object.owner.address} ${coin.coinType}`
    sums.set(key, (sums.get(key) ?? 0n) + sign * coin.balance)
  }
  for (const object of before.values()) count(object, -1n)
  for (const object of changes.values()) count(object, 1n)
  return [...sums]
    .filter(([, amount]) => amount !== 0n)
    .sort()
    .map(([key, amount]) => {
      const [address = '', coinType = ''] = key.split(' ')
      return { address, coinType, amount: String(amount) }
    })
}

export function checkpointMessage(checkpoint: Checkpoint): GrpcTypes.Checkpoint {
  const { sequenceNumber, digest, epoch, timestampMs, previousDigest, contentDigest, transactions } = checkpoint
  return {
    sequenceNumber: BigInt(sequenceNumber),
    digest,
    summary: {
      bcs: { name: 'CheckpointSummary', value: encodeSummary(checkpoint) },
      digest,
      epoch,
      sequenceNumber: BigInt(sequenceNumber),
      totalNetworkTransactions: BigInt(checkpoint.totalTransactions),
      contentDigest,
      ...(previousDigest !== null && { previousDigest }),
      timestamp: timestampOf(timestampMs),
      commitments: [],
      ...(checkpoint.isEndOfEpoch && { endOfEpochData: { nextEpochCommittee: [], epochCommitments: [] } }),
    },
    contents: {
      bcs: { name: 'CheckpointContents', value: encodeContents(transactions) },
      digest: contentDigest,
      version: 1,
      transactions: transactions.map(({ transaction, effects }) => ({
        transaction: transaction.digest,
        effects: effects.digest,
        signatures: [],
        addressAliasesVersions: [],
      })),
    },
    transactions: transactions.map((executed, index) => executedMessage(executed, { executed, checkpoint, index })),
  }
}
