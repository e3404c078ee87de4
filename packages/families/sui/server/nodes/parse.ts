/** Parses the messages of nodes. A missing or malformed field makes the node unreachable: proto3 cannot require fields. */
import { GrpcTypes } from '@mysten/sui/grpc'
import { normalizeStructTag } from '@mysten/sui/utils'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { type Address, paddedAddress } from '../../terms/address.ts'
import type { ExecutionFailure, GasUsed, NodeCoin, NodeEvent, NodeObject, Simulation } from './node.ts'

function malformed(expected: string): ChainFailure {
  return new ChainFailure('unreachable', `the node's answer is malformed: expected ${expected}`)
}

export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw malformed(what)
  return value
}

export function address(text: string | undefined): Address {
  try {
    return paddedAddress(required(text, 'an address'))
  } catch (error) {
    throw error instanceof ChainFailure ? error : malformed('an address')
  }
}

/** The form is `0x2::coin::Coin<…>` with packages of 64 digits. The text `package` stays unchanged. */
export function structType(text: string | undefined): string {
  const type = required(text, 'a type')
  if (!type.includes('::')) return type
  try {
    return normalizeStructTag(type)
  } catch (error) {
    throw new ChainFailure('unreachable', "the node's answer is malformed: expected a type", { cause: error })
  }
}

export function milliseconds(time: GrpcTypes.CheckpointSummary['timestamp']): bigint {
  const { seconds, nanos } = required(time, 'a time')
  return seconds * 1000n + BigInt(Math.floor(nanos / 1_000_000))
}

export function parseBlock({ sequenceNumber, digest, summary }: GrpcTypes.Checkpoint): Block {
  const height = required(sequenceNumber, 'a sequence number')
  return {
    height,
    hash: required(digest, 'a digest'),
    parentHash: height === 0n ? '' : required(summary?.previousDigest, 'the digest of the checkpoint before'),
    time: milliseconds(summary?.timestamp) / 1000n,
  }
}

export function eventTypesOf({ events }: GrpcTypes.ExecutedTransaction): readonly string[] {
  return (events?.events ?? []).map(({ eventType }) => structType(eventType))
}

export function parseEvents({ digest, events }: GrpcTypes.ExecutedTransaction): readonly NodeEvent[] {
  return (events?.events ?? []).map(({ eventType, contents }, index) => ({
    tx: required(digest, 'a digest'),
    index,
    type: structType(eventType),
    contents: required(contents?.value, 'the contents of an event'),
  }))
}

export function parseObject({ objectType, owner, contents }: GrpcTypes.Object): NodeObject {
  const { kind, version } = required(owner, 'an owner')
  const isShared = kind === GrpcTypes.Owner_OwnerKind.SHARED
  return {
    type: structType(objectType),
    initialSharedVersion: isShared ? required(version, 'the version at which it was shared') : null,
    contents: contents?.value ?? new Uint8Array(),
  }
}

export function parseCoin({ objectId, version, digest, balance }: GrpcTypes.Object): NodeCoin {
  return {
    id: address(objectId),
    version: required(version, 'a version'),
    digest: required(digest, 'a digest'),
    balance: required(balance, 'a balance'),
  }
}

export function parseFailure(status: GrpcTypes.ExecutionStatus | undefined): ExecutionFailure | null {
  const { success, error } = required(status, 'a status')
  if (required(success, 'success or failure')) return null
  const { errorDetails, kind, description = 'failed' } = required(error, 'the reason of a failure')
  const isCongested = kind === GrpcTypes.ExecutionError_ExecutionErrorKind.EXECUTION_CANCELED_DUE_TO_CONSENSUS_OBJECT_CONGESTION
  if (errorDetails.oneofKind !== 'abort') return { abort: null, description, isCongested }
  const { abortCode, location } = errorDetails.abort
  const abort = { package: address(location?.package), module: location?.module ?? '', code: required(abortCode, 'an abort code') }
  return { abort, description, isCongested }
}

function parseGas(used: GrpcTypes.GasCostSummary | undefined): GasUsed {
  const { computationCost, storageCost } = required(used, 'the gas')
  return { computation: computationCost ?? 0n, storage: storageCost ?? 0n }
}

export function parseSimulation({ transaction }: GrpcTypes.SimulateTransactionResponse): Simulation {
  const effects = required(transaction?.effects, 'effects')
  return { failure: parseFailure(effects.status), gas: parseGas(effects.gasUsed) }
}
