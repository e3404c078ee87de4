// Holds inputs and results of the commands of a transaction: the owner of a value, and how a command may use it.
import type { bcs } from '@mysten/sui/bcs'
import { fromBase64 } from '@mysten/sui/utils'
import type { MoveValue, Parameter } from '../move/function.ts'
import type { Draft } from '../objects/object.ts'
import { failArgument } from './failure.ts'
import { isPureBytes } from './pure.ts'

export type Holder = 'gas' | 'owned' | 'shared' | 'read-only' | 'immutable' | 'result'

/** `value` is null once it was moved out. */
export interface Slot {
  readonly holder: Holder
  value: MoveValue | null
  readonly pure: Uint8Array | null
}

export type PtbArgument = typeof bcs.Argument.$inferType

export interface Values {
  slot(argument: PtbArgument, index: number): Slot
  addResults(values: readonly MoveValue[]): void
  leftOver(): readonly { readonly result: number; readonly subresult: number; readonly value: MoveValue }[]
}

export function pureSlot(base64: string): Slot {
  return { holder: 'result', value: null, pure: fromBase64(base64) }
}

export function objectSlot(holder: Holder, { data }: Draft): Slot {
  if (data.kind !== 'move') throw new Error('a package is not an input')
  return { holder, value: { type: data.type, bytes: data.contents }, pure: null }
}

export function createValues(gas: Slot, inputs: readonly Slot[]): Values {
  const results: Slot[][] = []

  return {
    slot(argument, index) {
      const found = find(argument)
      return found ?? failArgument(index, argument.$kind === 'Result' ? 'InvalidResultArity' : 'IndexOutOfBounds')
    },
    addResults(values) {
      results.push(values.map((value) => ({ holder: 'result', value, pure: null })))
    },
    leftOver: () =>
      results.flatMap((slots, result) => slots.flatMap(({ value }, subresult) => (value === null ? [] : [{ result, subresult, value }]))),
  }

  function find(argument: PtbArgument): Slot | undefined {
    switch (argument.$kind) {
      case 'GasCoin':
        return gas
      case 'Input':
        return inputs[argument.Input]
      case 'Result': {
        const slots = results[argument.Result]
        return slots?.length === 1 ? slots[0] : undefined
      }
      case 'NestedResult':
        return results[argument.NestedResult[0]]?.[argument.NestedResult[1]]
    }
  }
}

export function takeValue(slot: Slot, type: string, index: number): MoveValue {
  if (slot.holder === 'gas') return failArgument(index, 'InvalidGasCoinUsage')
  if (slot.holder === 'read-only' || slot.holder === 'immutable' || slot.holder === 'shared') failArgument(index, 'InvalidObjectByValue')
  const value = readValue(slot, type, index)
  if (slot.pure === null) slot.value = null
  return value
}

export function borrowValue(slot: Slot, { pass, type }: Parameter, index: number): MoveValue {
  const isFixed = slot.holder === 'read-only' || slot.holder === 'immutable'
  if (pass === 'mutable reference' && isFixed) failArgument(index, 'InvalidObjectByMutRef')
  return readValue(slot, type, index)
}

function readValue(slot: Slot, type: string, index: number): MoveValue {
  if (slot.pure !== null) {
    if (type.includes('::')) failArgument(index, 'InvalidUsageOfPureArg')
    if (!isPureBytes(type, slot.pure)) failArgument(index, 'InvalidBCSBytes')
    return { type, bytes: slot.pure }
  }
  if (slot.value === null) return failArgument(index, 'InvalidValueUsage')
  if (slot.value.type !== type) failArgument(index, 'TypeMismatch')
  return slot.value
}
