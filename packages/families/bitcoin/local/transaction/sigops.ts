// Counts signature operations as blocks and the mempool limit them (BIP141: legacy ones cost four times a witness one).
import { OP, readInstruction, readInstructions } from '../script/opcodes.ts'
import { isPayToScriptHash, parseWitnessProgram } from '../script/standard-scripts.ts'
import { isCoinbase, type Transaction, type TransactionInput, type TransactionOutput } from './transaction.ts'

const WITNESS_SCALE = 4
const MULTISIG_MAX = 20

/** `accurate` reads the key count before a CHECKMULTISIG instead of assuming twenty. */
export function countSigops(script: Uint8Array, accurate: boolean): number {
  let count = 0
  let previous = 0xff
  for (let offset = 0; offset < script.length; ) {
    const instruction = readInstruction(script, offset)
    if (instruction === null) break
    const { opcode } = instruction
    if (opcode === OP.CHECKSIG || opcode === OP.CHECKSIGVERIFY) count += 1
    else if (opcode === OP.CHECKMULTISIG || opcode === OP.CHECKMULTISIGVERIFY)
      count += accurate && previous >= OP.ONE && previous <= OP.SIXTEEN ? previous - OP.ONE + 1 : MULTISIG_MAX
    previous = opcode
    offset = instruction.end
  }
  return count
}

export function redeemScriptOf(scriptSig: Uint8Array): Uint8Array | null {
  const instructions = readInstructions(scriptSig)
  if (instructions === null || instructions.some((instruction) => instruction.opcode > OP.SIXTEEN)) return null
  return instructions.at(-1)?.data ?? new Uint8Array(0)
}

function witnessSigops(script: Uint8Array, witness: readonly Uint8Array[]): number {
  const target = parseWitnessProgram(script)
  if (target?.version !== 0) return 0
  if (target.program.length === 20) return 1
  const witnessScript = witness.at(-1)
  return target.program.length === 32 && witnessScript !== undefined ? countSigops(witnessScript, true) : 0
}

function inputSigopsCost(input: TransactionInput, spent: TransactionOutput): number {
  if (!isPayToScriptHash(spent.script)) return witnessSigops(spent.script, input.witness)
  const redeemScript = redeemScriptOf(input.scriptSig)
  if (redeemScript === null) return 0
  return countSigops(redeemScript, true) * WITNESS_SCALE + witnessSigops(redeemScript, input.witness)
}

export function legacySigops(transaction: Transaction): number {
  const inInputs = transaction.inputs.reduce((sum, input) => sum + countSigops(input.scriptSig, false), 0)
  return transaction.outputs.reduce((sum, output) => sum + countSigops(output.script, false), inInputs)
}

export function sigopsCost(transaction: Transaction, spent: readonly TransactionOutput[]): number {
  const legacy = legacySigops(transaction) * WITNESS_SCALE
  if (isCoinbase(transaction)) return legacy
  return transaction.inputs.reduce((sum, input, i) => {
    const output = spent[i]
    return output === undefined ? sum : sum + inputSigopsCost(input, output)
  }, legacy)
}
