// Runs the commands of a programmable transaction.
import { bcs } from '@mysten/sui/bcs'
import { fromBase64 } from '@mysten/sui/utils'
import { transferable, transferTo } from '../move/abilities.ts'
import { idOf, joinedBalance, newCoin, readU64 } from '../move/framework.ts'
import { type Argument, instantiate, type MoveValue } from '../move/function.ts'
import { findFunction, packageOf } from '../move/packages.ts'
import { balanceIn, coinContents } from '../objects/coin.ts'
import type { ObjectReader } from '../objects/store.ts'
import { canonicalType, coinOf, coinTypeOf, UPGRADE_CAP_TYPE } from '../objects/types.ts'
import { ExecutionFailure, fail, failArgument } from './failure.ts'
import type { Scratch } from './scratch.ts'
import { borrowValue, type PtbArgument, type Slot, takeValue, type Values } from './values.ts'

export type Command = typeof bcs.Command.$inferType

export type CommandContext = {
  readonly objects: ObjectReader
  readonly scratch: Scratch
  readonly values: Values
  readonly sender: string
}

type Of<Kind extends Command['$kind']> = Extract<Command, { $kind: Kind }>[Kind & keyof Extract<Command, { $kind: Kind }>]

const UpgradeCap = bcs.struct('UpgradeCap', { id: bcs.Address, package: bcs.Address, version: bcs.u64(), policy: bcs.u8() })

export function runCommand(context: CommandContext, command: Command): readonly MoveValue[] {
  switch (command.$kind) {
    case 'MoveCall':
      return moveCall(context, command.MoveCall)
    case 'TransferObjects':
      return transferObjects(context, command.TransferObjects)
    case 'SplitCoins':
      return splitCoins(context, command.SplitCoins)
    case 'MergeCoins':
      return mergeCoins(context, command.MergeCoins)
    case 'MakeMoveVec':
      return makeMoveVec(context, command.MakeMoveVec)
    case 'Publish':
      return publish(context, command.Publish)
    case 'Upgrade':
      return fail('FeatureNotYetSupported')
  }
}

function moveCall(context: CommandContext, call: Of<'MoveCall'>): readonly MoveValue[] {
  const { objects, scratch, values, sender } = context
  const { package: packageId, module, function: name } = call
  const found = findFunction(objects, packageId, module, name) ?? fail('FunctionNotFound')
  if (call.typeArguments.length !== found.typeParameters) fail('TypeArityMismatch')
  if (call.arguments.length !== found.parameters.length) fail('ArityMismatch')
  const types = call.typeArguments.map((type, index) => knownType(objects, canonicalType(type), index))
  const args = found.parameters.map((parameter, index): Argument => {
    const slot = values.slot(call.arguments[index] as PtbArgument, index)
    const type = instantiate(parameter.type, types)
    const value = parameter.pass === 'value' ? takeValue(slot, type, index) : borrowValue(slot, { ...parameter, type }, index)
    return { ...value, set: (bytes) => setValue(slot, bytes) }
  })
  return found.run(
    {
      scratch,
      sender,
      packageId,
      abort(code) {
        throw new ExecutionFailure({ kind: 'abort', code: BigInt(code), location: { packageId, module, functionName: name } })
      },
    },
    types,
    args,
  )
}

function knownType(objects: ObjectReader, type: string, argument: number): string {
  const [, packageId = '', module = '', datatype = ''] = /^(0x[0-9a-f]{64})::(\w+)::(\w+)/.exec(type) ?? []
  if (packageId === '') return type
  const data = objects.get(packageId)?.data
  const origins = data?.kind === 'package' ? data.typeOrigins : []
  if (origins.some(({ moduleName, datatypeName }) => moduleName === module && datatypeName === datatype)) return type
  throw new ExecutionFailure({ kind: 'type argument', argument, problem: 'TypeNotFound' })
}

function transferObjects({ values, scratch }: CommandContext, { objects, address }: Of<'TransferObjects'>): readonly MoveValue[] {
  const to = takeValue(values.slot(address, objects.length), 'address', objects.length)
  for (const [index, argument] of objects.entries()) {
    const slot = values.slot(argument, index)
    if (slot.value !== null && !transferable(slot.value.type)) failArgument(index, 'InvalidTransferObject')
    scratch.write(transferTo(takeObject(slot, index), bcs.Address.parse(to.bytes)))
  }
  return []
}

function takeObject(slot: Slot, index: number): MoveValue {
  if (slot.holder === 'gas' && slot.value !== null) {
    const { value } = slot
    slot.value = null
    return value
  }
  return takeValue(slot, slot.value?.type ?? '', index)
}

function splitCoins({ values, scratch }: CommandContext, { coin, amounts }: Of<'SplitCoins'>): readonly MoveValue[] {
  const slot = values.slot(coin, 0)
  const coinType = coinTypeIn(slot, 0)
  return amounts.map((argument, index) => {
    const amount = readU64(takeValue(values.slot(argument, index + 1), 'u64', index + 1))
    const from = borrowCoin(slot, coinType, 0)
    const balance = balanceIn(from.bytes)
    if (amount > balance) fail('InsufficientCoinBalance')
    setValue(slot, coinContents(idOf(from), balance - amount))
    return newCoin(scratch.freshId(), coinType, amount)
  })
}

function mergeCoins({ values, scratch }: CommandContext, { destination, sources }: Of<'MergeCoins'>): readonly MoveValue[] {
  const slot = values.slot(destination, 0)
  const coinType = coinTypeIn(slot, 0)
  for (const [index, argument] of sources.entries()) {
    const from = takeValue(values.slot(argument, index + 1), coinOf(coinType), index + 1)
    const into = borrowCoin(slot, coinType, 0)
    setValue(slot, coinContents(idOf(into), joinedBalance(into, from)))
    scratch.remove(idOf(from))
  }
  return []
}

function makeMoveVec({ values }: CommandContext, { type, elements }: Of<'MakeMoveVec'>): readonly MoveValue[] {
  const [first] = elements
  const elementType = type === null ? first && values.slot(first, 0).value?.type : canonicalType(type)
  if (elementType === undefined) return failArgument(0, 'InvalidValueUsage')
  const parts = elements.map((argument, index) => takeValue(values.slot(argument, index), elementType, index).bytes)
  const bytes = Buffer.concat([bcs.uleb128().serialize(parts.length).toBytes(), ...parts])
  return [{ type: `vector<${elementType}>`, bytes }]
}

function publish({ scratch, objects }: CommandContext, { modules, dependencies }: Of<'Publish'>): readonly MoveValue[] {
  if (dependencies.some((dependency) => objects.get(dependency)?.data.kind !== 'package')) fail('PublishUpgradeMissingDependency')
  const id = scratch.freshId()
  const data = packageOf(modules.map(fromBase64), [...dependencies].sort(), id) ?? fail('VMVerificationOrDeserializationError')
  scratch.write({ id, owner: { kind: 'immutable' }, data })
  const cap = { id: scratch.freshId(), package: id, version: 1n, policy: 0 }
  return [{ type: UPGRADE_CAP_TYPE, bytes: UpgradeCap.serialize(cap).toBytes() }]
}

function coinTypeIn(slot: Slot, index: number): string {
  return coinTypeOf(slot.value?.type ?? '') ?? failArgument(index, slot.value === null ? 'InvalidValueUsage' : 'TypeMismatch')
}

function borrowCoin(slot: Slot, coinType: string, index: number): MoveValue {
  return borrowValue(slot, { pass: 'mutable reference', type: coinOf(coinType) }, index)
}

function setValue(slot: Slot, bytes: Uint8Array): void {
  if (slot.value !== null) slot.value = { ...slot.value, bytes }
}
