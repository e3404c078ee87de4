// Runs the opcodes that compute with script numbers.
import { type Operation, peekNumber, popNumber, pushBoolean, pushNumber, requireDepth } from './machine.ts'
import { OP } from './opcodes.ts'
import { ScriptFailure } from './script-failure.ts'

function unary(compute: (a: number) => number | boolean): Operation {
  return (machine) => {
    const result = compute(popNumber(machine))
    if (typeof result === 'boolean') pushBoolean(machine, result)
    else pushNumber(machine, result)
  }
}

function binary(compute: (a: number, b: number) => number | boolean): Operation {
  return (machine) => {
    requireDepth(machine, 2)
    const result = compute(peekNumber(machine, 1), peekNumber(machine, 0))
    machine.stack.length -= 2
    if (typeof result === 'boolean') pushBoolean(machine, result)
    else pushNumber(machine, result)
  }
}

export const arithmeticOperations: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [OP.ADD1, unary((a) => a + 1)],
  [OP.SUB1, unary((a) => a - 1)],
  [OP.NEGATE, unary((a) => -a)],
  [OP.ABS, unary(Math.abs)],
  [OP.NOT, unary((a) => a === 0)],
  [OP.NOTEQUAL0, unary((a) => a !== 0)],
  [OP.ADD, binary((a, b) => a + b)],
  [OP.SUB, binary((a, b) => a - b)],
  [OP.BOOLAND, binary((a, b) => a !== 0 && b !== 0)],
  [OP.BOOLOR, binary((a, b) => a !== 0 || b !== 0)],
  [OP.NUMEQUAL, binary((a, b) => a === b)],
  [
    OP.NUMEQUALVERIFY,
    (machine) => {
      requireDepth(machine, 2)
      const equal = peekNumber(machine, 1) === peekNumber(machine, 0)
      machine.stack.length -= 2
      if (!equal) throw new ScriptFailure('NUMEQUALVERIFY')
    },
  ],
  [OP.NUMNOTEQUAL, binary((a, b) => a !== b)],
  [OP.LESSTHAN, binary((a, b) => a < b)],
  [OP.GREATERTHAN, binary((a, b) => a > b)],
  [OP.LESSTHANOREQUAL, binary((a, b) => a <= b)],
  [OP.GREATERTHANOREQUAL, binary((a, b) => a >= b)],
  [OP.MIN, binary(Math.min)],
  [OP.MAX, binary(Math.max)],
  [
    OP.WITHIN,
    (machine) => {
      requireDepth(machine, 3)
      const [value, low, high] = [peekNumber(machine, 2), peekNumber(machine, 1), peekNumber(machine, 0)]
      machine.stack.length -= 3
      pushBoolean(machine, low <= value && value < high)
    },
  ],
])
