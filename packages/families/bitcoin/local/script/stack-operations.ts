// Runs the opcodes that move, copy, measure and compare stack elements.
import { equalBytes } from '../wire/bytes.ts'
import { type Machine, type Operation, peek, pop, popNumber, pushBoolean, pushNumber, requireDepth } from './machine.ts'
import { OP } from './opcodes.ts'
import { ScriptFailure } from './script-failure.ts'
import { isTruthy } from './script-number.ts'

function raise(machine: Machine, depth: number, count: number): void {
  requireDepth(machine, depth)
  machine.stack.push(...machine.stack.splice(machine.stack.length - depth, count))
}

function copy(machine: Machine, depth: number, count: number): void {
  requireDepth(machine, depth)
  const start = machine.stack.length - depth
  machine.stack.push(...machine.stack.slice(start, start + count))
}

function indexFromTop(machine: Machine): number {
  requireDepth(machine, 2)
  const index = popNumber(machine)
  if (index < 0 || index >= machine.stack.length) throw new ScriptFailure('INVALID_STACK_OPERATION')
  return index
}

function equal(machine: Machine): boolean {
  requireDepth(machine, 2)
  return equalBytes(pop(machine), pop(machine))
}

export const stackOperations: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [OP.TOALTSTACK, (m) => m.altStack.push(pop(m))],
  [
    OP.FROMALTSTACK,
    (m) => {
      const element = m.altStack.pop()
      if (element === undefined) throw new ScriptFailure('INVALID_ALTSTACK_OPERATION')
      m.stack.push(element)
    },
  ],
  [
    OP.DROP2,
    (m) => {
      requireDepth(m, 2)
      m.stack.length -= 2
    },
  ],
  [OP.DUP2, (m) => copy(m, 2, 2)],
  [OP.DUP3, (m) => copy(m, 3, 3)],
  [OP.OVER2, (m) => copy(m, 4, 2)],
  [OP.ROT2, (m) => raise(m, 6, 2)],
  [OP.SWAP2, (m) => raise(m, 4, 2)],
  [
    OP.IFDUP,
    (m) => {
      if (isTruthy(peek(m))) copy(m, 1, 1)
    },
  ],
  [OP.DEPTH, (m) => pushNumber(m, m.stack.length)],
  [OP.DROP, (m) => pop(m)],
  [OP.DUP, (m) => copy(m, 1, 1)],
  [
    OP.NIP,
    (m) => {
      requireDepth(m, 2)
      m.stack.splice(-2, 1)
    },
  ],
  [OP.OVER, (m) => copy(m, 2, 1)],
  [OP.PICK, (m) => copy(m, indexFromTop(m) + 1, 1)],
  [OP.ROLL, (m) => raise(m, indexFromTop(m) + 1, 1)],
  [OP.ROT, (m) => raise(m, 3, 1)],
  [OP.SWAP, (m) => raise(m, 2, 1)],
  [
    OP.TUCK,
    (m) => {
      requireDepth(m, 2)
      m.stack.splice(-2, 0, peek(m))
    },
  ],
  [OP.SIZE, (m) => pushNumber(m, peek(m).length)],
  [OP.EQUAL, (m) => pushBoolean(m, equal(m))],
  [
    OP.EQUALVERIFY,
    (m) => {
      if (!equal(m)) throw new ScriptFailure('EQUALVERIFY')
    },
  ],
])
