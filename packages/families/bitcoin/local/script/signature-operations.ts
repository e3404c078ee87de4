// Runs the opcodes that check signatures: CHECKSIG and CHECKMULTISIG before taproot, CHECKSIG and CHECKSIGADD in tapscript (BIP342).
import { type Machine, type Operation, peek, peekNumber, pop, pushBoolean, pushNumber, requireDepth } from './machine.ts'
import { OP, pushOf } from './opcodes.ts'
import { ScriptFailure } from './script-failure.ts'
import { findAndDelete } from './sighash-legacy.ts'
import { checkPublicKeyEncoding, checkSignatureEncoding } from './signature-encoding.ts'

const SIGOP_WEIGHT = 50
const MAX_MULTISIG_KEYS = 20
const MAX_OPERATIONS = 201

function scriptCodeWithout(machine: Machine, signatures: readonly Uint8Array[]): Uint8Array {
  let code = machine.script.subarray(machine.codeStart)
  if (machine.context.version !== 'base') return code
  for (const signature of signatures) {
    const result = findAndDelete(code, pushOf(signature))
    if (result.found > 0 && machine.context.flags.CONST_SCRIPTCODE) throw new ScriptFailure('SIG_FINDANDDELETE')
    code = result.script
  }
  return code
}

function checkLegacyOrV0(machine: Machine, signature: Uint8Array, key: Uint8Array): boolean {
  const { flags, version, checker } = machine.context
  const code = scriptCodeWithout(machine, [signature])
  checkSignatureEncoding(signature, flags)
  checkPublicKeyEncoding(key, flags, version)
  const valid = checker.checkEcdsa(signature, key, code, version)
  if (!valid && flags.NULLFAIL && signature.length > 0) throw new ScriptFailure('SIG_NULLFAIL')
  return valid
}

/** BIP342: an empty signature is a plain "no"; any other must be valid, or the whole script fails. */
function checkTapscript(machine: Machine, signature: Uint8Array, key: Uint8Array): boolean {
  const { flags, checker, tapscript } = machine.context
  if (tapscript === null) throw new ScriptFailure('BAD_OPCODE')
  const present = signature.length > 0
  if (present) {
    tapscript.sigopsBudget -= SIGOP_WEIGHT
    if (tapscript.sigopsBudget < 0) throw new ScriptFailure('TAPSCRIPT_VALIDATION_WEIGHT')
  }
  if (key.length === 0) throw new ScriptFailure('PUBKEYTYPE')
  if (key.length === 32) {
    const leaf = { hash: tapscript.leafHash, codeSeparatorPosition: machine.codeSeparatorPosition }
    if (present) checker.requireSchnorr(signature, key, { annexHash: tapscript.annexHash, leaf })
  } else if (flags.DISCOURAGE_UPGRADABLE_PUBKEYTYPE) {
    throw new ScriptFailure('DISCOURAGE_UPGRADABLE_PUBKEYTYPE')
  }
  return present
}

function checkOne(machine: Machine, signature: Uint8Array, key: Uint8Array): boolean {
  return machine.context.version === 'tapscript' ? checkTapscript(machine, signature, key) : checkLegacyOrV0(machine, signature, key)
}

function checkSig(machine: Machine): boolean {
  requireDepth(machine, 2)
  const valid = checkOne(machine, peek(machine, 1), peek(machine, 0))
  machine.stack.length -= 2
  return valid
}

function checkSigAdd(machine: Machine): void {
  if (machine.context.version !== 'tapscript') throw new ScriptFailure('BAD_OPCODE')
  requireDepth(machine, 3)
  const count = peekNumber(machine, 1)
  const valid = checkTapscript(machine, peek(machine, 2), peek(machine, 0))
  machine.stack.length -= 3
  pushNumber(machine, count + (valid ? 1 : 0))
}

/** Signatures must appear in the order of their keys, so each key is tried once. */
function matchInOrder(machine: Machine, signatures: readonly Uint8Array[], keys: readonly Uint8Array[]): boolean {
  const { flags, version, checker } = machine.context
  const code = scriptCodeWithout(machine, signatures)
  let nextSignature = 0
  for (let nextKey = 0; nextSignature < signatures.length; nextKey++) {
    if (signatures.length - nextSignature > keys.length - nextKey) return false
    const signature = signatures[nextSignature]
    const key = keys[nextKey]
    if (signature === undefined || key === undefined) return false
    checkSignatureEncoding(signature, flags)
    checkPublicKeyEncoding(key, flags, version)
    if (checker.checkEcdsa(signature, key, code, version)) nextSignature++
  }
  return true
}

function checkMultisig(machine: Machine): boolean {
  const { context, stack } = machine
  if (context.version === 'tapscript') throw new ScriptFailure('TAPSCRIPT_CHECKMULTISIG')
  const keyCount = peekNumber(machine)
  if (keyCount < 0 || keyCount > MAX_MULTISIG_KEYS) throw new ScriptFailure('PUBKEY_COUNT')
  machine.opCount += keyCount
  if (machine.opCount > MAX_OPERATIONS) throw new ScriptFailure('OP_COUNT')
  requireDepth(machine, keyCount + 2)
  const signatureCount = peekNumber(machine, keyCount + 1)
  if (signatureCount < 0 || signatureCount > keyCount) throw new ScriptFailure('SIG_COUNT')
  // One element more than needed is consumed: a bug that became consensus; BIP147 demands that it be empty.
  requireDepth(machine, keyCount + signatureCount + 3)
  const keys = stack.slice(stack.length - 1 - keyCount, stack.length - 1).reverse()
  const signaturesEnd = stack.length - 2 - keyCount
  const signatures = stack.slice(signaturesEnd - signatureCount, signaturesEnd).reverse()
  const valid = matchInOrder(machine, signatures, keys)
  if (!valid && context.flags.NULLFAIL && signatures.some((signature) => signature.length > 0)) throw new ScriptFailure('SIG_NULLFAIL')
  stack.length = signaturesEnd - signatureCount
  const dummy = pop(machine)
  if (context.flags.NULLDUMMY && dummy.length > 0) throw new ScriptFailure('SIG_NULLDUMMY')
  return valid
}

export const signatureOperations: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [OP.CHECKSIG, (m) => pushBoolean(m, checkSig(m))],
  [
    OP.CHECKSIGVERIFY,
    (m) => {
      if (!checkSig(m)) throw new ScriptFailure('CHECKSIGVERIFY')
    },
  ],
  [OP.CHECKSIGADD, checkSigAdd],
  [OP.CHECKMULTISIG, (m) => pushBoolean(m, checkMultisig(m))],
  [
    OP.CHECKMULTISIGVERIFY,
    (m) => {
      if (!checkMultisig(m)) throw new ScriptFailure('CHECKMULTISIGVERIFY')
    },
  ],
])
