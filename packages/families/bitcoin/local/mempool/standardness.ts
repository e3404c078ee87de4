// Applies relay policy: a mempool refuses some valid transactions as non-standard.
import type { RelayPolicy } from '../network.ts'
import { isPushOnly, readInstructions } from '../script/opcodes.ts'
import {
  classifyScript,
  isPayToScriptHash,
  isUnspendable,
  parseBareMultisig,
  parseWitnessProgram,
  type WitnessProgram,
} from '../script/standard-scripts.ts'
import { countSigops, redeemScriptOf } from '../transaction/sigops.ts'
import type { Transaction, TransactionInput, TransactionOutput } from '../transaction/transaction.ts'

const MAX_STANDARD_WEIGHT = 400_000
const MAX_SCRIPT_SIG = 1_650
const MAX_DATA_CARRIER = 83
const MAX_P2SH_SIGOPS = 15
const MAX_WITNESS_SCRIPT = 3_600
const MAX_WITNESS_ELEMENTS = 100
const MAX_WITNESS_ELEMENT = 80
const TAPSCRIPT_LEAF = 0xc0

/** An output is dust if it is worth less than its own bytes and those of its spend cost at the dust relay fee. */
function dustThreshold(script: Uint8Array, satsPerKvb: bigint): bigint {
  if (isUnspendable(script)) return 0n
  const outputSize = 8 + (script.length < 0xfd ? 1 : 3) + script.length
  const inputSize = parseWitnessProgram(script) === null ? 148 : 67
  return (BigInt(outputSize + inputSize) * satsPerKvb) / 1_000n
}

function outputRefusal({ script, amount }: TransactionOutput, relay: RelayPolicy): string | null {
  const type = classifyScript(script)
  if (type === 'nonstandard') return 'scriptpubkey'
  const multisigKeys = type === 'multisig' ? (parseBareMultisig(script)?.keys.length ?? 0) : 0
  if (multisigKeys > 3 || (type === 'nulldata' && script.length > MAX_DATA_CARRIER)) return 'scriptpubkey'
  return amount < dustThreshold(script, relay.dustSatsPerKvb) ? 'dust' : null
}

export function transactionRefusal(transaction: Transaction, relay: RelayPolicy): string | null {
  const { version, inputs, outputs } = transaction
  if (version < 1 || version > relay.maxVersion) return 'version'
  if (transaction.weight > MAX_STANDARD_WEIGHT) return 'tx-size'
  for (const { scriptSig } of inputs) {
    if (scriptSig.length > MAX_SCRIPT_SIG) return 'scriptsig-size'
    if (!isPushOnly(scriptSig)) return 'scriptsig-not-pushonly'
  }
  const refusals = outputs.map((output) => outputRefusal(output, relay))
  const refusal = refusals.find((reason) => reason === 'scriptpubkey')
  if (refusal) return refusal
  if (refusals.includes('dust')) return 'dust'
  if (outputs.filter((output) => classifyScript(output.script) === 'nulldata').length > 1) return 'multi-op-return'
  return transaction.strippedSize < relay.minStrippedSize ? 'tx-size-small' : null
}

function isStandardInput(input: TransactionInput, spent: TransactionOutput, { anchors }: RelayPolicy): boolean {
  const type = classifyScript(spent.script)
  if (type === 'nonstandard' || type === 'witness_unknown' || (type === 'anchor' && !anchors)) return false
  if (type !== 'scripthash') return true
  const redeemScript = redeemScriptOf(input.scriptSig)
  return redeemScript !== null && countSigops(redeemScript, true) <= MAX_P2SH_SIGOPS
}

function isStandardWitnessProgram(witness: readonly Uint8Array[], { version, program }: WitnessProgram, nested: boolean): boolean {
  if (version === 0 && program.length === 32) {
    const script = witness.at(-1)
    if (script !== undefined && script.length > MAX_WITNESS_SCRIPT) return false
    const elements = witness.slice(0, -1)
    return elements.length <= MAX_WITNESS_ELEMENTS && elements.every((element) => element.length <= MAX_WITNESS_ELEMENT)
  }
  if (version !== 1 || program.length !== 32 || nested) return true
  const last = witness.at(-1)
  if (witness.length >= 2 && last?.[0] === 0x50) return false
  if (witness.length >= 2) {
    if (last === undefined || last.length === 0) return false
    const isTapscript = ((last[0] ?? 0) & 0xfe) === TAPSCRIPT_LEAF
    return !isTapscript || witness.slice(0, -2).every((element) => element.length <= MAX_WITNESS_ELEMENT)
  }
  return witness.length > 0
}

function isStandardWitness(input: TransactionInput, spent: TransactionOutput): boolean {
  if (input.witness.length === 0) return true
  let script = spent.script
  if (classifyScript(script) === 'anchor') return false
  const nested = isPayToScriptHash(script)
  if (nested) {
    const redeemScript = readInstructions(input.scriptSig)?.at(-1)?.data
    if (!redeemScript) return false
    script = redeemScript
  }
  const program = parseWitnessProgram(script)
  return program !== null && isStandardWitnessProgram(input.witness, program, nested)
}

export function inputsRefusal(transaction: Transaction, spent: readonly TransactionOutput[], relay: RelayPolicy): string | null {
  const pairs = transaction.inputs.flatMap((input, i) => {
    const output = spent[i]
    return output === undefined ? [] : [{ input, output }]
  })
  if (!pairs.every(({ input, output }) => isStandardInput(input, output, relay))) return 'bad-txns-nonstandard-inputs'
  return pairs.every(({ input, output }) => isStandardWitness(input, output)) ? null : 'bad-witness-nonstandard'
}
