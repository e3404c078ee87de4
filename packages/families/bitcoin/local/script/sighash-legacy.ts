// Computes the message that a pre-segwit signature commits to, with its historic quirks.
import { concatBytes } from '@noble/hashes/utils.js'
import { serializeOutpoint, serializeOutput, type Transaction } from '../transaction/transaction.ts'
import { compactSize, equalBytes, hash256, lengthPrefixed, uint32 } from '../wire/bytes.ts'
import { OP, readInstruction } from './opcodes.ts'

const NONE = 2
const SINGLE = 3
const NULL_OUTPUT = { amount: -1n, script: new Uint8Array(0) }

function withoutCodeSeparators(script: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = []
  let offset = 0
  while (offset < script.length) {
    const instruction = readInstruction(script, offset)
    if (instruction === null) break
    if (instruction.opcode !== OP.CODESEPARATOR) kept.push(script.subarray(offset, instruction.end))
    offset = instruction.end
  }
  return concatBytes(...kept, script.subarray(offset))
}

/** Consensus for non-witness scripts removes every occurrence that starts at an instruction boundary. */
export function findAndDelete(script: Uint8Array, needle: Uint8Array): { script: Uint8Array; found: number } {
  if (needle.length === 0) return { script, found: 0 }
  const kept: Uint8Array[] = []
  let found = 0
  let offset = 0
  let keepFrom = 0
  for (;;) {
    kept.push(script.subarray(keepFrom, offset))
    while (script.length - offset >= needle.length && equalBytes(script.subarray(offset, offset + needle.length), needle)) {
      offset += needle.length
      found++
    }
    keepFrom = offset
    const instruction = offset < script.length ? readInstruction(script, offset) : null
    if (instruction === null) break
    offset = instruction.end
  }
  return found === 0 ? { script, found } : { script: concatBytes(...kept, script.subarray(keepFrom)), found }
}

export function legacySignatureHash(transaction: Transaction, inputIndex: number, scriptCode: Uint8Array, hashType: number): Uint8Array {
  const base = hashType & 0x1f
  const anyoneCanPay = (hashType & 0x80) !== 0
  // SINGLE without a matching output signs the number one: a bug that became consensus.
  if (base === SINGLE && inputIndex >= transaction.outputs.length) {
    const one = new Uint8Array(32)
    one[0] = 1
    return one
  }
  const script = lengthPrefixed(withoutCodeSeparators(scriptCode))
  const inputs = transaction.inputs.flatMap((input, i) => {
    if (anyoneCanPay && i !== inputIndex) return []
    const own = i === inputIndex
    const sequence = !own && (base === NONE || base === SINGLE) ? 0 : input.sequence
    return [concatBytes(serializeOutpoint(input), own ? script : Uint8Array.of(0), uint32(sequence))]
  })
  const outputs =
    base === NONE
      ? []
      : base === SINGLE
        ? transaction.outputs.slice(0, inputIndex + 1).map((output, i) => serializeOutput(i === inputIndex ? output : NULL_OUTPUT))
        : transaction.outputs.map(serializeOutput)
  return hash256(
    concatBytes(
      uint32(transaction.version),
      compactSize(inputs.length),
      ...inputs,
      compactSize(outputs.length),
      ...outputs,
      uint32(transaction.lockTime),
      uint32(hashType),
    ),
  )
}
