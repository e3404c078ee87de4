// Executes one script on a stack: flow control, limits and dispatch to the opcode tables.
import { ripemd160, sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hash160, hash256 } from '../wire/bytes.ts'
import { arithmeticOperations } from './arithmetic-operations.ts'
import { type Machine, type Operation, peek, peekNumber, pop, pushNumber, type ScriptContext } from './machine.ts'
import { isDisabled, isMinimalPush, OP, readInstruction } from './opcodes.ts'
import { ScriptFailure } from './script-failure.ts'
import { isTruthy } from './script-number.ts'
import { signatureOperations } from './signature-operations.ts'
import { stackOperations } from './stack-operations.ts'

const MAX_SCRIPT_SIZE = 10_000
const MAX_OPERATIONS = 201
const MAX_STACK_SIZE = 1_000
const SEQUENCE_DISABLE_FLAG = 0x80000000
const TIMELOCK_BYTES = 5
export const MAX_ELEMENT_SIZE = 520

function hashOperation(hash: (bytes: Uint8Array) => Uint8Array): Operation {
  return (machine) => machine.stack.push(hash(pop(machine)))
}

function timelock(machine: Machine): number {
  const value = peekNumber(machine, 0, TIMELOCK_BYTES)
  if (value < 0) throw new ScriptFailure('NEGATIVE_LOCKTIME')
  return value
}

function reservedNop(machine: Machine): void {
  if (machine.context.flags.DISCOURAGE_UPGRADABLE_NOPS) throw new ScriptFailure('DISCOURAGE_UPGRADABLE_NOPS')
}

const otherOperations: readonly (readonly [number, Operation])[] = [
  [OP.NOP, () => undefined],
  [OP.NEGATE1, (m) => pushNumber(m, -1)],
  [
    OP.VERIFY,
    (m) => {
      if (!isTruthy(peek(m))) throw new ScriptFailure('VERIFY')
      m.stack.pop()
    },
  ],
  [
    OP.RETURN,
    () => {
      throw new ScriptFailure('OP_RETURN')
    },
  ],
  [
    OP.CHECKLOCKTIMEVERIFY,
    (m) => {
      if (!m.context.checker.checkLockTime(timelock(m))) throw new ScriptFailure('UNSATISFIED_LOCKTIME')
    },
  ],
  [
    OP.CHECKSEQUENCEVERIFY,
    (m) => {
      const sequence = timelock(m)
      // BIP112: an operand with the disable flag makes the opcode a NOP.
      if ((sequence & SEQUENCE_DISABLE_FLAG) !== 0) return
      if (!m.context.checker.checkSequence(sequence)) throw new ScriptFailure('UNSATISFIED_LOCKTIME')
    },
  ],
  [OP.RIPEMD160, hashOperation(ripemd160)],
  [OP.SHA1, hashOperation(sha1)],
  [OP.SHA256, hashOperation(sha256)],
  [OP.HASH160, hashOperation(hash160)],
  [OP.HASH256, hashOperation(hash256)],
]

function buildOperations(): ReadonlyMap<number, Operation> {
  const operations = new Map<number, Operation>([...otherOperations, ...stackOperations, ...arithmeticOperations, ...signatureOperations])
  for (let opcode: number = OP.ONE; opcode <= OP.SIXTEEN; opcode++) operations.set(opcode, (m) => pushNumber(m, opcode - OP.ONE + 1))
  operations.set(OP.NOP1, reservedNop)
  for (let opcode: number = OP.NOP4; opcode <= OP.NOP10; opcode++) operations.set(opcode, reservedNop)
  return operations
}

const OPERATIONS = buildOperations()

function takeCondition(machine: Machine): boolean {
  const { flags, version } = machine.context
  if (machine.stack.length < 1) throw new ScriptFailure('UNBALANCED_CONDITIONAL')
  const argument = peek(machine)
  const minimal = argument.length === 0 || (argument.length === 1 && argument[0] === 1)
  // BIP342 made this consensus in tapscript; in P2WSH it is policy.
  if (version === 'tapscript' && !minimal) throw new ScriptFailure('TAPSCRIPT_MINIMALIF')
  if (version === 'witness-v0' && flags.MINIMALIF && !minimal) throw new ScriptFailure('MINIMALIF')
  machine.stack.pop()
  return isTruthy(argument)
}

function controlFlow(machine: Machine, opcode: number, executing: boolean): void {
  const { conditions } = machine
  switch (opcode) {
    case OP.IF:
      conditions.push(executing && takeCondition(machine))
      return
    case OP.NOTIF:
      conditions.push(executing && !takeCondition(machine))
      return
    case OP.ELSE: {
      const condition = conditions.pop()
      if (condition === undefined) throw new ScriptFailure('UNBALANCED_CONDITIONAL')
      conditions.push(!condition)
      return
    }
    case OP.ENDIF:
      if (conditions.pop() === undefined) throw new ScriptFailure('UNBALANCED_CONDITIONAL')
      return
    default:
      // VERIF and VERNOTIF fail even in a branch not taken.
      throw new ScriptFailure('BAD_OPCODE')
  }
}

function execute(machine: Machine, opcode: number, end: number, position: number): void {
  if (opcode === OP.CODESEPARATOR) {
    machine.codeStart = end
    machine.codeSeparatorPosition = position
    return
  }
  const operation = OPERATIONS.get(opcode)
  if (operation === undefined) throw new ScriptFailure('BAD_OPCODE')
  operation(machine)
}

/** The stack is changed in place, and the caller checks what remains of it. A failure is thrown as a ScriptFailure. */
export function evaluateScript(stack: Uint8Array[], script: Uint8Array, context: ScriptContext): void {
  const limited = context.version !== 'tapscript'
  if (limited && script.length > MAX_SCRIPT_SIZE) throw new ScriptFailure('SCRIPT_SIZE')
  const machine: Machine = {
    context,
    script,
    stack,
    altStack: [],
    conditions: [],
    codeStart: 0,
    codeSeparatorPosition: 0xffffffff,
    opCount: 0,
  }
  let offset = 0
  for (let position = 0; offset < script.length; position++) {
    const executing = !machine.conditions.includes(false)
    const instruction = readInstruction(script, offset)
    if (instruction === null) throw new ScriptFailure('BAD_OPCODE')
    const { opcode, data, end } = instruction
    offset = end
    if (data !== null && data.length > MAX_ELEMENT_SIZE) throw new ScriptFailure('PUSH_SIZE')
    if (limited && opcode > OP.SIXTEEN && ++machine.opCount > MAX_OPERATIONS) throw new ScriptFailure('OP_COUNT')
    if (isDisabled(opcode)) throw new ScriptFailure('DISABLED_OPCODE')
    if (opcode === OP.CODESEPARATOR && context.version === 'base' && context.flags.CONST_SCRIPTCODE)
      throw new ScriptFailure('OP_CODESEPARATOR')
    if (data !== null) {
      if (!executing) continue
      if (context.flags.MINIMALDATA && !isMinimalPush(opcode, data)) throw new ScriptFailure('MINIMALDATA')
      stack.push(data)
    } else if (opcode >= OP.IF && opcode <= OP.ENDIF) {
      controlFlow(machine, opcode, executing)
    } else if (executing) {
      execute(machine, opcode, end, position)
    }
    if (stack.length + machine.altStack.length > MAX_STACK_SIZE) throw new ScriptFailure('STACK_SIZE')
  }
  if (machine.conditions.length > 0) throw new ScriptFailure('UNBALANCED_CONDITIONAL')
}
