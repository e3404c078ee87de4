/** Tests how much each swap of a transaction pays out. */
import { expect, test } from 'vitest'
import { paidOut } from './paid-out.ts'

/** Letters are swaps. A lower-case letter signs one output only, and - is a coin of somebody. */
const input = (letter: string) => ({
  swapId: letter === '-' ? null : letter.toUpperCase(),
  signsOneOutput: letter !== '-' && letter !== letter.toUpperCase(),
})
const paid = (inputs: string, ...outputs: readonly bigint[]) => paidOut([...inputs].map(input), outputs)

test.each([
  ['one deposit', 'A', [90n], [90n]],
  ['one deposit to two outputs of its owner', 'A', [50n, 40n], [90n]],
  ['several deposits of a swap in one output', 'AAA', [290n], [290n, 0n, 0n]],
  ['a coin of somebody pays a part of the fee, and gets change', 'A-', [97n, 30n], [97n, null]],
  ['the coin comes first', '-A', [30n, 97n], [null, 97n]],
  ['a coin, and no output beside the deposit', '-A', [97n], [null, null]],
  ['instant refunds, each with its own output', 'aa', [97n, 47n], [97n, 47n]],
  ['instant refunds with a coin for the fee', 'aa-', [97n, 47n, 5n], [97n, 47n, null]],
  ['an instant refund that pays nothing', 'aa', [97n], [97n, 0n]],
  ['two swaps in one output', 'AB', [190n], [null, null]],
  ['one swap beside an instant refund of another', 'aB', [97n, 95n], [97n, 95n]],
])('%s', (_, inputs, outputs, expected) => expect(paid(inputs, ...outputs)).toEqual(expected))
