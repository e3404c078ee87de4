// Answers sui.rpc.v2.LedgerService: objects, transactions, checkpoints and epochs.
import { GrpcTypes } from '@mysten/sui/grpc'
import { isValidSuiAddress, normalizeSuiAddress } from '@mysten/sui/utils'
import { PROTOCOL_VERSION } from '../chain/checkpoint.ts'
import { EPOCH_MS, type Epoch } from '../chain/epochs.ts'
import type { SuiNode } from '../chain/node.ts'
import { masked } from './field-mask.ts'
import { checkpointMessage, executedMessage, timestampOf } from './ledger-messages.ts'
import { objectMessage } from './object-message.ts'
import { GrpcError, invalidArgument, statusCodes } from './status.ts'

/** Nodes use these for requests without a read mask. */
const defaultMasks = {
  object: ['object_id', 'version', 'digest'],
  transaction: ['digest'],
  checkpoint: ['sequence_number', 'digest'],
  epoch: ['epoch', 'first_checkpoint', 'last_checkpoint', 'start', 'end', 'reference_gas_price', 'protocol_config.protocol_version'],
} as const

export function ledgerService(node: SuiNode, chainName: string) {
  const { ledger, store, epochs } = node

  function object({ objectId, version }: GrpcTypes.GetObjectRequest, mask: readonly string[]): GrpcTypes.Object {
    const id = addressParam('object_id', objectId)
    const found = version === undefined ? store.get(id) : store.at(id, version)
    if (found === null) throw new GrpcError('NOT_FOUND', `Object ${id}${version === undefined ? '' : ` with version ${version}`} not found`)
    return masked(GrpcTypes.Object, objectMessage(found), mask)
  }

  function transaction(digest: string, mask: readonly string[]): GrpcTypes.ExecutedTransaction {
    const place = ledger.transaction(digest)
    if (place === null) throw new GrpcError('NOT_FOUND', `Transaction ${digest} not found`)
    return masked(GrpcTypes.ExecutedTransaction, executedMessage(place.executed, place), mask)
  }

  return {
    GetServiceInfo(): GrpcTypes.GetServiceInfoResponse {
      const tip = ledger.tip()
      return {
        chainId: node.chainId,
        chain: chainName,
        epoch: epochs.current().epoch,
        checkpointHeight: BigInt(tip.sequenceNumber),
        timestamp: timestampOf(tip.timestampMs),
        lowestAvailableCheckpoint: 0n,
        lowestAvailableCheckpointObjects: 0n,
        server: 'tandem-devnet',
      }
    },
    GetObject(request: GrpcTypes.GetObjectRequest): GrpcTypes.GetObjectResponse {
      return { object: object(request, request.readMask?.paths ?? defaultMasks.object) }
    },
    BatchGetObjects({ requests, readMask }: GrpcTypes.BatchGetObjectsRequest): GrpcTypes.BatchGetObjectsResponse {
      const mask = readMask?.paths ?? defaultMasks.object
      return {
        objects: requests.map((request) =>
          orError(
            () => ({ result: { oneofKind: 'object' as const, object: object(request, mask) } }),
            (error) => ({ result: { oneofKind: 'error' as const, error } }),
          ),
        ),
      }
    },
    GetTransaction({ digest = '', readMask }: GrpcTypes.GetTransactionRequest): GrpcTypes.GetTransactionResponse {
      return { transaction: transaction(digest, readMask?.paths ?? defaultMasks.transaction) }
    },
    BatchGetTransactions({ digests, readMask }: GrpcTypes.BatchGetTransactionsRequest): GrpcTypes.BatchGetTransactionsResponse {
      const mask = readMask?.paths ?? defaultMasks.transaction
      return {
        transactions: digests.map((digest) =>
          orError(
            () => ({ result: { oneofKind: 'transaction' as const, transaction: transaction(digest, mask) } }),
            (error) => ({ result: { oneofKind: 'error' as const, error } }),
          ),
        ),
      }
    },
    GetCheckpoint({ checkpointId, readMask }: GrpcTypes.GetCheckpointRequest): GrpcTypes.GetCheckpointResponse {
      const found =
        checkpointId.oneofKind === 'sequenceNumber'
          ? ledger.checkpoint(Number(checkpointId.sequenceNumber))
          : checkpointId.oneofKind === 'digest'
            ? ledger.byDigest(checkpointId.digest)
            : ledger.tip()
      if (found === null) {
        const name =
          checkpointId.oneofKind === 'digest' ? checkpointId.digest : 'sequenceNumber' in checkpointId ? checkpointId.sequenceNumber : ''
        throw new GrpcError('NOT_FOUND', `Checkpoint ${name} not found`)
      }
      return { checkpoint: masked(GrpcTypes.Checkpoint, checkpointMessage(found), readMask?.paths ?? defaultMasks.checkpoint) }
    },
    GetEpoch({ epoch, readMask }: GrpcTypes.GetEpochRequest): GrpcTypes.GetEpochResponse {
      const found = epoch === undefined ? epochs.current() : epochs.find(epoch)
      if (found === null) throw new GrpcError('NOT_FOUND', `Epoch ${epoch} not found`)
      return { epoch: masked(GrpcTypes.Epoch, epochMessage(found), readMask?.paths ?? defaultMasks.epoch) }
    },
  }
}

function epochMessage({ epoch, startMs, firstCheckpoint, gasPrice, last }: Epoch): GrpcTypes.Epoch {
  return {
    epoch,
    committee: { epoch, members: [] },
    systemState: GrpcTypes.SystemState.create({
      version: 2n,
      epoch,
      protocolVersion: PROTOCOL_VERSION,
      referenceGasPrice: gasPrice,
      epochStartTimestampMs: BigInt(startMs),
      safeMode: false,
      parameters: { epochDurationMs: BigInt(EPOCH_MS) },
    }),
    firstCheckpoint: BigInt(firstCheckpoint),
    ...(last !== null && { lastCheckpoint: BigInt(last.checkpoint), end: timestampOf(last.endMs) }),
    start: timestampOf(startMs),
    referenceGasPrice: gasPrice,
    protocolConfig: GrpcTypes.ProtocolConfig.create({ protocolVersion: PROTOCOL_VERSION }),
  }
}

export function addressParam(name: string, text: string | undefined): string {
  const address = text === undefined ? '' : normalizeSuiAddress(text)
  if (text === undefined || !isValidSuiAddress(address)) throw invalidArgument(`invalid ${name}: ${text ?? 'missing'}`)
  return address
}

type Status = Extract<GrpcTypes.GetObjectResult['result'], { oneofKind: 'error' }>['error']

/** A failing request of a batch is an error in the answer. */
function orError<T, E>(run: () => T, onError: (status: Status) => E): T | E {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error
    return onError({ code: statusCodes[error.status], message: error.message, details: [] })
  }
}
