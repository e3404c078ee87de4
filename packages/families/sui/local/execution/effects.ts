// Encodes the effects of a transaction as BCS, and computes the digests that follow from them.
import { bcs } from '@mysten/sui/bcs'
import { fromBase58 } from '@mysten/sui/utils'
import { digestOf } from '../objects/digest.ts'
import { bcsOwner, type SuiObject, structTagOf } from '../objects/object.ts'
import type { Execution } from './execute.ts'
import type { EffectsV2, Failure, FailureKind } from './failure.ts'
import type { EmittedEvent } from './scratch.ts'

export type Effects = {
  readonly bytes: Uint8Array
  readonly digest: string
  readonly eventsDigest: string | null
  readonly eventsBytes: Uint8Array | null
  readonly changed: readonly ChangedObject[]
  readonly dependencies: readonly string[]
}

export type ChangedObject = {
  readonly id: string
  readonly before: SuiObject | null
  readonly after: SuiObject | null
  /** A wrapped object keeps its id, but nothing here wraps objects. */
  readonly operation: 'None' | 'Created' | 'Deleted'
}

const Event = bcs.struct('Event', {
  packageId: bcs.Address,
  transactionModule: bcs.string(),
  sender: bcs.Address,
  type: bcs.StructTag,
  contents: bcs.byteVector(),
})
const TransactionEvents = bcs.struct('TransactionEvents', { data: bcs.vector(Event) })

export function effectsOf(execution: Execution, transactionDigest: string, epoch: bigint): Effects {
  const { failure, gas, events, lamportVersion, gasObject, changes, before, readOnly } = execution
  const changed = [...changes]
    .map(
      ([id, after]): ChangedObject => ({
        id,
        before: before.get(id) ?? null,
        after,
        operation: operationOf(before.get(id) ?? null, after),
      }),
    )
    .sort((left, right) => (left.id < right.id ? -1 : 1))
  const eventsBytes = events.length === 0 ? null : encodeEvents(events)
  const eventsDigest = eventsBytes === null ? null : digestOf('TransactionEvents', eventsBytes)
  const dependencies = [...execution.dependencies].sort((left, right) => Buffer.compare(fromBase58(left), fromBase58(right)))
  const bytes = bcs.TransactionEffects.serialize({
    V2: {
      status: failure === null ? { Success: true } : { Failure: { error: failureKind(failure.failure), command: failure.command } },
      executedEpoch: epoch,
      gasUsed: gas,
      transactionDigest,
      gasObjectIndex: changed.findIndex(({ id }) => id === gasObject),
      eventsDigest,
      dependencies,
      lamportVersion,
      changedObjects: changed.map((change) => [change.id, changeOf(change)] as const),
      unchangedConsensusObjects: readOnly.map(({ id, version, digest }) => [id, { ReadOnlyRoot: [version, digest] }] as const),
      auxDataDigest: null,
    },
  }).toBytes()
  return { bytes, digest: digestOf('TransactionEffects', bytes), eventsDigest, eventsBytes, changed, dependencies }
}

function operationOf(before: SuiObject | null, after: SuiObject | null): ChangedObject['operation'] {
  if (before === null) return 'Created'
  return after === null ? 'Deleted' : 'None'
}

type ChangeInput = EffectsV2['changedObjects'] extends Iterable<readonly [unknown, infer Change]> ? Change : never

function changeOf({ before, after, operation }: ChangedObject): ChangeInput {
  return {
    inputState: before === null ? { NotExist: true } : { Exist: [[before.version, before.digest], bcsOwner(before.owner)] },
    outputState: outputOf(after),
    idOperation: { [operation]: true },
  } as ChangeInput
}

function outputOf(after: SuiObject | null) {
  if (after === null) return { NotExist: true }
  if (after.data.kind === 'package') return { PackageWrite: [after.version, after.digest] }
  return { ObjectWrite: [after.digest, bcsOwner(after.owner)] }
}

function failureKind(failure: Failure): FailureKind {
  switch (failure.kind) {
    case 'abort': {
      const { packageId, module, functionName } = failure.location
      const location = { module: { address: packageId, name: module }, function: 0, instruction: 0, functionName }
      return { MoveAbort: [location, failure.code] }
    }
    case 'argument':
      return { CommandArgumentError: { argIdx: failure.argument, kind: argumentKind(failure.problem, failure.argument) } }
    case 'type argument':
      return { TypeArgumentError: { argumentIdx: failure.argument, kind: { [failure.problem]: true } } } as FailureKind
    case 'unused value':
      return { UnusedValueWithoutDrop: { resultIdx: failure.result, secondaryIdx: failure.subresult } }
    default:
      return { [failure.kind]: true } as FailureKind
  }
}

type ArgumentKind = Extract<FailureKind, { CommandArgumentError: unknown }>['CommandArgumentError']['kind']

function argumentKind(problem: string, argument: number): ArgumentKind {
  if (problem === 'IndexOutOfBounds') return { IndexOutOfBounds: { idx: argument } }
  if (problem === 'InvalidResultArity') return { InvalidResultArity: { resultIdx: argument } }
  return { [problem]: true } as ArgumentKind
}

function encodeEvents(events: readonly EmittedEvent[]): Uint8Array {
  const data = events.map(({ packageId, module, sender, type, contents }) => ({
    packageId,
    transactionModule: module,
    sender,
    type: structTagOf(type),
    contents,
  }))
  return TransactionEvents.serialize({ data }).toBytes()
}
