// Holds the state of one script execution: stacks, code position and context.
import { ScriptFailure } from './script-failure.ts'
import type { ScriptFlags } from './script-flags.ts'
import { decodeScriptNumber, encodeScriptNumber } from './script-number.ts'
import type { SignatureChecker } from './signature-checker.ts'
import type { SignatureVersion } from './signature-encoding.ts'

/** The budget shrinks with every signature checked (BIP342). */
export type TapscriptState = {
  readonly leafHash: Uint8Array
  readonly annexHash: Uint8Array | null
  sigopsBudget: number
}

export type ScriptContext = {
  readonly flags: ScriptFlags
  readonly version: Exclude<SignatureVersion, 'taproot'>
  readonly checker: SignatureChecker
  readonly tapscript: TapscriptState | null
}

export type Machine = {
  readonly context: ScriptContext
  readonly script: Uint8Array
  readonly stack: Uint8Array[]
  readonly altStack: Uint8Array[]
  readonly conditions: boolean[]
  /** The code starts after the last executed OP_CODESEPARATOR. */
  codeStart: number
  /** The position counts instructions. It is 0xffffffff when no OP_CODESEPARATOR was executed (BIP342). */
  codeSeparatorPosition: number
  opCount: number
}

export type Operation = (machine: Machine) => void

const FALSE = new Uint8Array(0)
const TRUE = Uint8Array.of(1)

export function requireDepth(machine: Machine, depth: number): void {
  if (machine.stack.length < depth) throw new ScriptFailure('INVALID_STACK_OPERATION')
}

export function peek(machine: Machine, depth = 0): Uint8Array {
  const element = machine.stack.at(-1 - depth)
  if (element === undefined) throw new ScriptFailure('INVALID_STACK_OPERATION')
  return element
}

export function pop(machine: Machine): Uint8Array {
  const element = machine.stack.pop()
  if (element === undefined) throw new ScriptFailure('INVALID_STACK_OPERATION')
  return element
}

/** Numbers are decoded in place before the pop, so that a too short stack is reported before a bad number. */
export function peekNumber(machine: Machine, depth = 0, maxLength = 4): number {
  return decodeScriptNumber(peek(machine, depth), machine.context.flags.MINIMALDATA, maxLength)
}

export function popNumber(machine: Machine): number {
  const value = peekNumber(machine)
  machine.stack.pop()
  return value
}

export function pushNumber(machine: Machine, value: number): void {
  machine.stack.push(encodeScriptNumber(value))
}

export function pushBoolean(machine: Machine, value: boolean): void {
  machine.stack.push(value ? TRUE : FALSE)
}
