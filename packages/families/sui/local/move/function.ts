// Describes a Move function in the simulator: its signature, and the same behaviour in TypeScript.
import type { Scratch } from '../execution/scratch.ts'

/** The bytes are BCS of the Move type. */
export type MoveValue = { readonly type: string; readonly bytes: Uint8Array }

/** `$0` in a type is the first type argument. The transaction's context is not listed, because callers do not pass it. */
export type Parameter = { readonly pass: 'value' | 'reference' | 'mutable reference'; readonly type: string }

export type CallContext = {
  readonly scratch: Scratch
  readonly sender: string
  readonly packageId: string
  abort(code: number | bigint): never
}

export interface MoveFunction {
  readonly typeParameters: number
  readonly parameters: readonly Parameter[]
  readonly returns: readonly string[]
  /** The last parameter then is the context of the transaction, which callers do not pass. */
  readonly takesContext: boolean
  /** A borrowed value can be changed with `set`, if the parameter is mutable. */
  run(context: CallContext, typeArguments: readonly string[], values: readonly Argument[]): readonly MoveValue[]
}

export interface Argument extends MoveValue {
  set(bytes: Uint8Array): void
}

export type MoveModule = Readonly<Record<string, MoveFunction>>

/** Values of types without the ability `drop` must not remain. */
export function canBeDropped(type: string): boolean {
  return !type.includes('::')
}

export function instantiate(type: string, typeArguments: readonly string[]): string {
  return type.replace(/\$(\d+)/g, (_, index) => typeArguments[Number(index)] ?? '')
}
