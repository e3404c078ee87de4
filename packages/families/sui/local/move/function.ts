// What a Move function is here: its signature, and the same behaviour in TypeScript.
import type { Scratch } from '../execution/scratch.ts'

/** A value of a Move type, as BCS. */
export type MoveValue = { readonly type: string; readonly bytes: Uint8Array }

/** `$0` in a type is the first type argument. The context of the transaction is not listed: callers do not pass it. */
export type Parameter = { readonly pass: 'value' | 'reference' | 'mutable reference'; readonly type: string }

export type CallContext = {
  readonly scratch: Scratch
  readonly sender: string
  /** Of the called function. */
  readonly packageId: string
  /** Stops the transaction. */
  abort(code: number | bigint): never
}

export interface MoveFunction {
  readonly typeParameters: number
  readonly parameters: readonly Parameter[]
  /** Types of the results. */
  readonly returns: readonly string[]
  /** Whether its last parameter, which callers do not pass, is the context of the transaction. */
  readonly takesContext: boolean
  /** What is borrowed can be changed with `set`, if the parameter is mutable. */
  run(context: CallContext, typeArguments: readonly string[], values: readonly Argument[]): readonly MoveValue[]
}

export interface Argument extends MoveValue {
  set(bytes: Uint8Array): void
}

export type MoveModule = Readonly<Record<string, MoveFunction>>

/** Types without the ability `drop` must not be left over. */
export function canBeDropped(type: string): boolean {
  return !type.includes('::')
}

/** Replaces `$0`, `$1`… */
export function instantiate(type: string, typeArguments: readonly string[]): string {
  return type.replace(/\$(\d+)/g, (_, index) => typeArguments[Number(index)] ?? '')
}
