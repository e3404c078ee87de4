// Shows effects as messages of gRPC.
import { GrpcTypes } from '@mysten/sui/grpc'
import type { ExecutedTransaction } from '../chain/checkpoint.ts'
import type { ChangedObject } from '../execution/effects.ts'
import { type ArgumentProblem, type Failure, failureText, type PlainFailure } from '../execution/failure.ts'
import { ownerMessage, typeName } from './object-message.ts'

const {
  ChangedObject_InputObjectState: InputState,
  ChangedObject_OutputObjectState: OutputState,
  ChangedObject_IdOperation: IdOperation,
  ExecutionError_ExecutionErrorKind: ErrorKind,
  CommandArgumentError_CommandArgumentErrorKind: ArgumentKind,
  TypeArgumentError_TypeArgumentErrorKind: TypeKind,
} = GrpcTypes

const operations = { None: IdOperation.NONE, Created: IdOperation.CREATED, Deleted: IdOperation.DELETED } as const

const plainKinds: Readonly<Record<PlainFailure, GrpcTypes.ExecutionError_ExecutionErrorKind>> = {
  InsufficientGas: ErrorKind.INSUFFICIENT_GAS,
  InsufficientCoinBalance: ErrorKind.INSUFFICIENT_COIN_BALANCE,
  CoinBalanceOverflow: ErrorKind.COIN_BALANCE_OVERFLOW,
  VMVerificationOrDeserializationError: ErrorKind.VM_VERIFICATION_OR_DESERIALIZATION_ERROR,
  FunctionNotFound: ErrorKind.FUNCTION_NOT_FOUND,
  ArityMismatch: ErrorKind.ARITY_MISMATCH,
  TypeArityMismatch: ErrorKind.TYPE_ARITY_MISMATCH,
  PublishUpgradeMissingDependency: ErrorKind.PUBLISH_UPGRADE_MISSING_DEPENDENCY,
  FeatureNotYetSupported: ErrorKind.FEATURE_NOT_YET_SUPPORTED,
}

const argumentKinds: Readonly<Record<ArgumentProblem, GrpcTypes.CommandArgumentError_CommandArgumentErrorKind>> = {
  TypeMismatch: ArgumentKind.TYPE_MISMATCH,
  InvalidBCSBytes: ArgumentKind.INVALID_BCS_BYTES,
  InvalidUsageOfPureArg: ArgumentKind.INVALID_USAGE_OF_PURE_ARGUMENT,
  InvalidGasCoinUsage: ArgumentKind.INVALID_GAS_COIN_USAGE,
  InvalidValueUsage: ArgumentKind.INVALID_VALUE_USAGE,
  InvalidObjectByValue: ArgumentKind.INVALID_OBJECT_BY_VALUE,
  InvalidObjectByMutRef: ArgumentKind.INVALID_OBJECT_BY_MUT_REF,
  InvalidResultArity: ArgumentKind.INVALID_RESULT_ARITY,
  InvalidTransferObject: ArgumentKind.INVALID_TRANSFER_OBJECT,
  IndexOutOfBounds: ArgumentKind.INDEX_OUT_OF_BOUNDS,
}

export function effectsMessage({ transaction, execution, effects, epoch }: ExecutedTransaction): GrpcTypes.TransactionEffects {
  const { failure, gas, lamportVersion, gasObject, readOnly } = execution
  const changedObjects = effects.changed.map(changedMessage)
  const paid = changedObjects.find(({ objectId }) => objectId === gasObject)
  return {
    bcs: { name: 'TransactionEffects', value: effects.bytes },
    digest: effects.digest,
    version: 2,
    status: failure === null ? { success: true } : { success: false, error: errorMessage(failure.failure, failure.command) },
    epoch,
    gasUsed: gas,
    transactionDigest: transaction.digest,
    ...(paid !== undefined && { gasObject: paid }),
    ...(effects.eventsDigest !== null && { eventsDigest: effects.eventsDigest }),
    dependencies: [...effects.dependencies],
    lamportVersion,
    changedObjects,
    unchangedConsensusObjects: readOnly.map((object) => ({
      kind: GrpcTypes.UnchangedConsensusObject_UnchangedConsensusObjectKind.READ_ONLY_ROOT,
      objectId: object.id,
      version: object.version,
      digest: object.digest,
      objectType: typeName(object),
    })),
    unchangedLoadedRuntimeObjects: [],
  }
}

function changedMessage({ id, before, after, operation }: ChangedObject): GrpcTypes.ChangedObject {
  const some = after ?? before
  return {
    objectId: id,
    inputState: before === null ? InputState.DOES_NOT_EXIST : InputState.EXISTS,
    ...(before !== null && { inputVersion: before.version, inputDigest: before.digest, inputOwner: ownerMessage(before.owner) }),
    outputState:
      after === null ? OutputState.DOES_NOT_EXIST : after.data.kind === 'package' ? OutputState.PACKAGE_WRITE : OutputState.OBJECT_WRITE,
    ...(after !== null && { outputVersion: after.version, outputDigest: after.digest, outputOwner: ownerMessage(after.owner) }),
    idOperation: operations[operation],
    ...(some !== null && { objectType: typeName(some) }),
  }
}

function errorMessage(failure: Failure, command: number | null): GrpcTypes.ExecutionError {
  return {
    description: failureText(failure),
    ...(command !== null && { command: BigInt(command) }),
    ...details(failure),
  }
}

function details(failure: Failure): Pick<GrpcTypes.ExecutionError, 'kind' | 'errorDetails'> {
  switch (failure.kind) {
    case 'abort': {
      const { packageId, module, functionName } = failure.location
      const location = { package: packageId, module, function: 0, instruction: 0, functionName }
      return { kind: ErrorKind.MOVE_ABORT, errorDetails: { oneofKind: 'abort', abort: { abortCode: failure.code, location } } }
    }
    case 'argument': {
      const commandArgumentError = { argument: failure.argument, kind: argumentKinds[failure.problem] }
      return { kind: ErrorKind.COMMAND_ARGUMENT_ERROR, errorDetails: { oneofKind: 'commandArgumentError', commandArgumentError } }
    }
    case 'type argument': {
      const kind = failure.problem === 'TypeNotFound' ? TypeKind.TYPE_NOT_FOUND : TypeKind.CONSTRAINT_NOT_SATISFIED
      const typeArgumentError = { typeArgument: failure.argument, kind }
      return { kind: ErrorKind.TYPE_ARGUMENT_ERROR, errorDetails: { oneofKind: 'typeArgumentError', typeArgumentError } }
    }
    case 'unused value': {
      const indexError = { index: failure.result, subresult: failure.subresult }
      return { kind: ErrorKind.UNUSED_VALUE_WITHOUT_DROP, errorDetails: { oneofKind: 'indexError', indexError } }
    }
    default:
      return { kind: plainKinds[failure.kind], errorDetails: { oneofKind: undefined } }
  }
}
