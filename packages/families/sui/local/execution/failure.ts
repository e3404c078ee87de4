// Describes a transaction that is executed and fails: only its gas is taken.
import type { bcs } from '@mysten/sui/bcs'

export type EffectsV2 = Extract<typeof bcs.TransactionEffects.$inferInput, { V2: unknown }>['V2']
/** The form is that of BCS of effects. */
export type FailureKind = Extract<EffectsV2['status'], { Failure: unknown }>['Failure']['error']

export type AbortLocation = { readonly packageId: string; readonly module: string; readonly functionName: string }

export type Failure =
  | { readonly kind: 'abort'; readonly code: bigint; readonly location: AbortLocation }
  | { readonly kind: 'argument'; readonly argument: number; readonly problem: ArgumentProblem }
  | { readonly kind: 'type argument'; readonly argument: number; readonly problem: 'TypeNotFound' | 'ConstraintNotSatisfied' }
  | { readonly kind: 'unused value'; readonly result: number; readonly subresult: number }
  | { readonly kind: PlainFailure }

export type ArgumentProblem =
  | 'TypeMismatch'
  | 'InvalidBCSBytes'
  | 'InvalidUsageOfPureArg'
  | 'InvalidGasCoinUsage'
  | 'InvalidValueUsage'
  | 'InvalidObjectByValue'
  | 'InvalidObjectByMutRef'
  | 'InvalidResultArity'
  | 'InvalidTransferObject'
  | 'IndexOutOfBounds'

export type PlainFailure =
  | 'InsufficientGas'
  | 'InsufficientCoinBalance'
  | 'CoinBalanceOverflow'
  | 'VMVerificationOrDeserializationError'
  | 'FunctionNotFound'
  | 'ArityMismatch'
  | 'TypeArityMismatch'
  | 'PublishUpgradeMissingDependency'
  | 'FeatureNotYetSupported'

export class ExecutionFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failureText(failure))
    this.failure = failure
  }
}

export function fail(kind: PlainFailure): never {
  throw new ExecutionFailure({ kind })
}

export function failArgument(argument: number, problem: ArgumentProblem): never {
  throw new ExecutionFailure({ kind: 'argument', argument, problem })
}

export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'abort': {
      const { packageId, module, functionName } = failure.location
      return `Move Runtime Abort. Location: ${packageId}::${module}::${functionName}. Abort Code: ${failure.code}`
    }
    case 'argument':
      return `Invalid command argument at ${failure.argument}. ${failure.problem}`
    case 'type argument':
      return `Error for type argument at index ${failure.argument}: ${failure.problem}`
    case 'unused value':
      return `Unused result without the drop ability. Command result ${failure.result}, return value ${failure.subresult}`
    default:
      return failure.kind
  }
}
