// Decides whether an input may spend its output: scriptSig, P2SH (BIP16), witness programs (BIP141) and taproot (BIP341).
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { serializeWitness } from '../transaction/transaction.ts'
import { equalBytes, lengthPrefixed, taggedHash } from '../wire/bytes.ts'
import { evaluateScript, MAX_ELEMENT_SIZE } from './interpreter.ts'
import type { TapscriptState } from './machine.ts'
import { isPushOnly, isSuccess, OP, pushOf, readInstruction } from './opcodes.ts'
import { ScriptFailure } from './script-failure.ts'
import type { ScriptFlags } from './script-flags.ts'
import { isTruthy } from './script-number.ts'
import { createSignatureChecker, type SignatureChecker, type SpendContext } from './signature-checker.ts'
import { bytesToNumber } from './signature-encoding.ts'
import { isPayToAnchor, isPayToScriptHash, parseWitnessProgram, type WitnessProgram } from './standard-scripts.ts'

type Verification = { readonly flags: ScriptFlags; readonly checker: SignatureChecker }

const TAPROOT_LEAF_MASK = 0xfe
const TAPSCRIPT_LEAF = 0xc0
const ANNEX_TAG = 0x50
const CONTROL_BASE_SIZE = 33
const CONTROL_NODE_SIZE = 32
const CONTROL_MAX_NODES = 128
const VALIDATION_WEIGHT_OFFSET = 50
const MAX_STACK_SIZE = 1_000

function requireTrue(stack: readonly Uint8Array[]): void {
  const top = stack.at(-1)
  if (top === undefined || !isTruthy(top)) throw new ScriptFailure('EVAL_FALSE')
}

function runWitnessScript(
  stack: Uint8Array[],
  script: Uint8Array,
  version: 'witness-v0' | 'tapscript',
  verification: Verification,
  tapscript: TapscriptState | null,
): void {
  if (stack.some((element) => element.length > MAX_ELEMENT_SIZE)) throw new ScriptFailure('PUSH_SIZE')
  evaluateScript(stack, script, { ...verification, version, tapscript })
  if (stack.length !== 1) throw new ScriptFailure('CLEANSTACK')
  requireTrue(stack)
}

/** BIP342: an OP_SUCCESSx anywhere before an undecodable push ends validation with success. */
function containsSuccess(script: Uint8Array): boolean {
  for (let offset = 0; offset < script.length; ) {
    const instruction = readInstruction(script, offset)
    if (instruction === null) throw new ScriptFailure('BAD_OPCODE')
    if (isSuccess(instruction.opcode)) return true
    offset = instruction.end
  }
  return false
}

function leafHash(leafVersion: number, script: Uint8Array): Uint8Array {
  return taggedHash('TapLeaf', Uint8Array.of(leafVersion), lengthPrefixed(script))
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** BIP341: the output key is the internal key tweaked by the Merkle root that the control block leads to. */
function commitsTo(program: Uint8Array, control: Uint8Array, leaf: Uint8Array): boolean {
  let node = leaf
  for (let offset = CONTROL_BASE_SIZE; offset < control.length; offset += CONTROL_NODE_SIZE) {
    const sibling = control.subarray(offset, offset + CONTROL_NODE_SIZE)
    node = compareBytes(node, sibling) < 0 ? taggedHash('TapBranch', node, sibling) : taggedHash('TapBranch', sibling, node)
  }
  const internalKey = control.subarray(1, CONTROL_BASE_SIZE)
  const tweak = bytesToNumber(taggedHash('TapTweak', internalKey, node))
  if (tweak >= secp256k1.Point.Fn.ORDER) return false
  try {
    const internal = secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(2), internalKey))
    const output = tweak === 0n ? internal : internal.add(secp256k1.Point.BASE.multiplyUnsafe(tweak))
    const { x, y } = output.toAffine()
    return x === bytesToNumber(program) && (y & 1n) === BigInt((control[0] ?? 0) & 1)
  } catch (error) {
    // The library throws for an x coordinate that is not on the curve and for the point at infinity.
    if (error instanceof Error) return false
    throw error
  }
}

function verifyScriptPath(
  stack: Uint8Array[],
  program: Uint8Array,
  annexHash: Uint8Array | null,
  witnessSize: number,
  verification: Verification,
): void {
  const control = stack.pop() ?? new Uint8Array(0)
  const script = stack.pop() ?? new Uint8Array(0)
  const nodes = (control.length - CONTROL_BASE_SIZE) / CONTROL_NODE_SIZE
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > CONTROL_MAX_NODES) throw new ScriptFailure('TAPROOT_WRONG_CONTROL_SIZE')
  const leafVersion = (control[0] ?? 0) & TAPROOT_LEAF_MASK
  const hash = leafHash(leafVersion, script)
  if (!commitsTo(program, control, hash)) throw new ScriptFailure('WITNESS_PROGRAM_MISMATCH')
  if (leafVersion !== TAPSCRIPT_LEAF) {
    if (verification.flags.DISCOURAGE_UPGRADABLE_TAPROOT_VERSION) throw new ScriptFailure('DISCOURAGE_UPGRADABLE_TAPROOT_VERSION')
    return
  }
  if (containsSuccess(script)) {
    if (verification.flags.DISCOURAGE_OP_SUCCESS) throw new ScriptFailure('DISCOURAGE_OP_SUCCESS')
    return
  }
  if (stack.length > MAX_STACK_SIZE) throw new ScriptFailure('STACK_SIZE')
  runWitnessScript(stack, script, 'tapscript', verification, {
    leafHash: hash,
    annexHash,
    sigopsBudget: witnessSize + VALIDATION_WEIGHT_OFFSET,
  })
}

function verifyTaproot(witness: readonly Uint8Array[], program: Uint8Array, verification: Verification): void {
  const stack = [...witness]
  if (stack.length === 0) throw new ScriptFailure('WITNESS_PROGRAM_WITNESS_EMPTY')
  let annexHash: Uint8Array | null = null
  const last = stack.at(-1)
  if (stack.length >= 2 && last?.[0] === ANNEX_TAG) {
    annexHash = sha256(lengthPrefixed(last))
    stack.pop()
  }
  const [signature] = stack
  if (stack.length === 1 && signature !== undefined) verification.checker.requireSchnorr(signature, program, { annexHash, leaf: null })
  else verifyScriptPath(stack, program, annexHash, serializeWitness(witness).length, verification)
}

function verifyWitnessV0(witness: readonly Uint8Array[], program: Uint8Array, verification: Verification): void {
  const stack = [...witness]
  if (program.length === 20) {
    if (stack.length !== 2) throw new ScriptFailure('WITNESS_PROGRAM_MISMATCH')
    const script = Uint8Array.of(OP.DUP, OP.HASH160, 20, ...program, OP.EQUALVERIFY, OP.CHECKSIG)
    runWitnessScript(stack, script, 'witness-v0', verification, null)
    return
  }
  if (program.length !== 32) throw new ScriptFailure('WITNESS_PROGRAM_WRONG_LENGTH')
  const script = stack.pop()
  if (script === undefined) throw new ScriptFailure('WITNESS_PROGRAM_WITNESS_EMPTY')
  if (!equalBytes(sha256(script), program)) throw new ScriptFailure('WITNESS_PROGRAM_MISMATCH')
  runWitnessScript(stack, script, 'witness-v0', verification, null)
}

function verifyWitnessProgram(witness: readonly Uint8Array[], target: WitnessProgram, nested: boolean, verification: Verification): void {
  const { version, program } = target
  if (version === 0) {
    verifyWitnessV0(witness, program, verification)
  } else if (version === 1 && program.length === 32 && !nested) {
    if (verification.flags.TAPROOT) verifyTaproot(witness, program, verification)
  } else if ((nested || !isPayToAnchor(target)) && verification.flags.DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) {
    throw new ScriptFailure('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM')
  }
}

export function verifyInput(context: SpendContext, index: number, flags: ScriptFlags): void {
  const input = context.transaction.inputs[index]
  const output = context.spent[index]
  if (input === undefined || output === undefined) throw new RangeError(`no input ${index}`)
  const { scriptSig, witness } = input
  const verification: Verification = { flags, checker: createSignatureChecker(context, index) }
  const base = { ...verification, version: 'base', tapscript: null } as const
  let hadWitness = false

  let stack: Uint8Array[] = []
  evaluateScript(stack, scriptSig, base)
  const afterScriptSig = [...stack]
  evaluateScript(stack, output.script, base)
  requireTrue(stack)

  const program = flags.WITNESS ? parseWitnessProgram(output.script) : null
  if (program !== null) {
    hadWitness = true
    if (scriptSig.length > 0) throw new ScriptFailure('WITNESS_MALLEATED')
    verifyWitnessProgram(witness, program, false, verification)
    stack.length = 1
  }

  if (flags.P2SH && isPayToScriptHash(output.script)) {
    if (!isPushOnly(scriptSig)) throw new ScriptFailure('SIG_PUSHONLY')
    stack = afterScriptSig
    const redeemScript = stack.pop()
    if (redeemScript === undefined) throw new ScriptFailure('EVAL_FALSE')
    evaluateScript(stack, redeemScript, base)
    requireTrue(stack)
    const nested = flags.WITNESS ? parseWitnessProgram(redeemScript) : null
    if (nested !== null) {
      hadWitness = true
      if (!equalBytes(scriptSig, pushOf(redeemScript))) throw new ScriptFailure('WITNESS_MALLEATED_P2SH')
      verifyWitnessProgram(witness, nested, true, verification)
      stack.length = 1
    }
  }

  if (flags.CLEANSTACK && stack.length !== 1) throw new ScriptFailure('CLEANSTACK')
  if (flags.WITNESS && !hadWitness && witness.length > 0) throw new ScriptFailure('WITNESS_UNEXPECTED')
}
