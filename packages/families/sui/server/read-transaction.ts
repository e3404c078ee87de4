/**
 * Reads from a transaction what its purpose does not fix: the objects that it names, its fee, and some arguments. It is only for rebuilding the transaction:
 * what it reads is right if the rebuilt one has the same bytes.
 */
import { bcs } from '@mysten/sui/bcs'
import { fromBase64 } from '@mysten/sui/utils'
import type { Address } from '../terms/address.ts'
import type { Frame } from '../terms/send/transaction.ts'
import type { ObjectRef } from './nodes/node.ts'

type Parsed = ReturnType<typeof bcs.TransactionData.parse>['V1']
type Commands = NonNullable<Parsed['kind']['ProgrammableTransaction']>
type Input = Commands['inputs'][number]

export type GivenTransaction = {
  readonly data: Uint8Array
  readonly frame: Omit<Frame, 'sender'>
  /** These objects have an owner. They are in the order of the inputs. */
  readonly coins: readonly ObjectRef[]
  readonly commands: number
  /** The first command may split this amount from the gas coin. */
  readonly firstSplit: bigint | null
  /** The last command but one splits a coin into this many. */
  readonly lastSplits: number
  /** Returns the version since which the object is shared; null if it is no input. */
  sharedVersion(id: string): string | null
  /** The argument of a function is a number of 64 bits, or null. */
  number(functionName: string, index: number): bigint | null
  /** The argument of a function is a vector of this many bytes, or null. */
  bytes(functionName: string, index: number, length: number): Buffer | null
}

/** The result is null for what is no transaction with commands that expires with an epoch. */
export function readTransaction(data: Uint8Array): GivenTransaction | null {
  const parsed = parse(data)
  const lastEpoch = parsed?.expiration?.Epoch
  const program = parsed?.kind.ProgrammableTransaction
  if (parsed === null || lastEpoch == null || program == null) return null
  const { inputs, commands } = program
  const { price, budget, payment } = parsed.gasData
  const argumentOf = (functionName: string, index: number) => {
    const call = commands.find(({ MoveCall }) => MoveCall?.function === functionName)?.MoveCall
    return pureOf(inputs, call?.arguments[index])
  }
  const shared = inputs.flatMap(({ Object: input }) => input?.SharedObject ?? [])
  const first = commands[0]?.SplitCoins
  return {
    data,
    frame: { price: BigInt(price), budget: BigInt(budget), lastEpoch: BigInt(lastEpoch), payment: payment.map(refOf) },
    coins: inputs.flatMap(({ Object: input }) => (input?.ImmOrOwnedObject == null ? [] : [refOf(input.ImmOrOwnedObject)])),
    commands: commands.length,
    firstSplit: first?.coin.GasCoin === true ? numberIn(pureOf(inputs, first.amounts[0])) : null,
    lastSplits: commands.at(-2)?.SplitCoins?.amounts.length ?? 0,
    sharedVersion: (id) => shared.find(({ objectId }) => objectId === id)?.initialSharedVersion ?? null,
    number: (functionName, index) => numberIn(argumentOf(functionName, index)),
    bytes: (functionName, index, length) => bytesIn(argumentOf(functionName, index), length),
  }
}

function parse(data: Uint8Array): Parsed | null {
  try {
    return bcs.TransactionData.parse(data).V1
  } catch {
    return null
  }
}

function refOf({ objectId, version, digest }: { readonly objectId: string; readonly version: string; readonly digest: string }): ObjectRef {
  return { id: objectId as Address, version: BigInt(version), digest }
}

function pureOf(inputs: readonly Input[], argument: { readonly Input?: number | undefined } | undefined): Uint8Array | null {
  const pure = argument?.Input === undefined ? undefined : inputs[argument.Input]?.Pure
  return pure == null ? null : fromBase64(pure.bytes)
}

function numberIn(pure: Uint8Array | null): bigint | null {
  return pure?.length === 8 ? Buffer.from(pure).readBigUInt64LE() : null
}

/** A short vector has its length in one byte before it. */
function bytesIn(pure: Uint8Array | null, length: number): Buffer | null {
  return pure?.length === length + 1 && pure[0] === length ? Buffer.from(pure.subarray(1)) : null
}
