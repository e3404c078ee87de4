/** Tests that transaction errors have the numbers and words of a real node. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { errorText, instructionErrors, transactionErrors } from './transaction-error.ts'

const declarations = readFileSync(
  createRequire(import.meta.url)
    .resolve('litesvm/dist/internal.js')
    .replace(/js$/, 'd.ts'),
  'utf8',
)

it.each([
  { name: 'TransactionErrorFieldless', names: transactionErrors },
  { name: 'InstructionErrorFieldless', names: instructionErrors },
])('$name has the numbers that litesvm declares', ({ name, names }) => {
  const body = new RegExp(`const enum ${name} \\{(.*?)\\}`, 's').exec(declarations)?.[1] ?? ''
  const declared = [...body.matchAll(/(\w+) = (\d+)/g)].map(([, key, value]) => [key, Number(value)])
  expect(names.map((key, value) => [key, value])).toEqual(declared)
})

it.each([
  ['BlockhashNotFound', 'Blockhash not found'],
  ['ClusterMaintenance', 'ClusterMaintenance'],
  [{ InstructionError: [2, { Custom: 6_011 }] }, 'Error processing Instruction 2: custom program error: 0x177b'],
  [{ InstructionError: [0, 'MissingRequiredSignature'] }, 'Error processing Instruction 0: missing required signature for instruction'],
  [{ InstructionError: [0, 'CallDepth'] }, 'Error processing Instruction 0: CallDepth'],
  [{ InstructionError: [1, { BorshIoError: 'x' }] }, 'Error processing Instruction 1: Failed to serialize or deserialize account data: x'],
  [{ InsufficientFundsForRent: { account_index: 3 } }, 'Transaction results in an account (3) with insufficient funds for rent'],
  [{ DuplicateInstruction: 4 }, 'Transaction contains a duplicate instruction (4) that is not allowed'],
  [
    { ProgramExecutionTemporarilyRestricted: { account_index: 5 } },
    'Execution of the program referenced by account at index 5 is temporarily restricted.',
  ],
] as const)('%j is worded as by a node', (error, text) => {
  expect(errorText(error)).toBe(text)
})
