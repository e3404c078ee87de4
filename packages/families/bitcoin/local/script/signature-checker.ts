// Checks signatures (ECDSA, BIP340) and timelocks (BIP65, BIP112) of the spending transaction for a script.
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import type { Transaction, TransactionOutput } from '../transaction/transaction.ts'
import { ScriptFailure } from './script-failure.ts'
import { legacySignatureHash } from './sighash-legacy.ts'
import {
  digestSpend,
  type SigningInput,
  type SpendDigests,
  type TaprootExtension,
  taprootSignatureHash,
  witnessV0SignatureHash,
} from './sighash-witness.ts'
import { bytesToNumber, isPlainKey, parseStrictDer, type SignatureVersion } from './signature-encoding.ts'

export type SignatureChecker = {
  checkEcdsa(signature: Uint8Array, key: Uint8Array, scriptCode: Uint8Array, version: SignatureVersion): boolean
  requireSchnorr(signature: Uint8Array, key: Uint8Array, extension: TaprootExtension): void
  checkLockTime(lockTime: number): boolean
  checkSequence(sequence: number): boolean
}

const ORDER = secp256k1.Point.Fn.ORDER
const LOCKTIME_THRESHOLD = 500_000_000
const SEQUENCE_FINAL = 0xffffffff
const SEQUENCE_TYPE_FLAG = 1 << 22
const SEQUENCE_MASK = 0xffff

/** Hybrid keys (06, 07) name the parity of y twice; outside of policy they are as good as uncompressed ones. */
function plainKey(key: Uint8Array): Uint8Array | null {
  if (isPlainKey(key)) return key
  const prefix = key[0]
  if (key.length !== 65 || (prefix !== 6 && prefix !== 7) || ((key[64] ?? 0) & 1) !== (prefix & 1)) return null
  const plain = Uint8Array.from(key)
  plain[0] = 4
  return plain
}

function isOnCurve(key: Uint8Array): boolean {
  try {
    secp256k1.Point.fromBytes(key).assertValidity()
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

function verifyEcdsa(signature: Uint8Array, key: Uint8Array, message: Uint8Array): boolean {
  const der = parseStrictDer(signature)
  const usableKey = plainKey(key)
  if (der === null || usableKey === null || !isOnCurve(usableKey)) return false
  const r = bytesToNumber(der.r)
  const s = bytesToNumber(der.s)
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) return false
  return secp256k1.verify(new secp256k1.Signature(r, s).toBytes('compact'), message, usableKey, { prehash: false, lowS: false })
}

export type SpendContext = {
  readonly transaction: Transaction
  readonly spent: readonly TransactionOutput[]
  readonly digests: SpendDigests
}

export function createSpendContext(transaction: Transaction, spent: readonly TransactionOutput[]): SpendContext {
  return { transaction, spent, digests: digestSpend(transaction, spent) }
}

export function createSignatureChecker(context: SpendContext, index: number): SignatureChecker {
  const { transaction } = context
  const input = transaction.inputs[index]
  const spent = context.spent[index]
  if (input === undefined || spent === undefined) throw new RangeError(`no input ${index}`)
  const signing: SigningInput = { transaction, digests: context.digests, index, input, spent }

  return {
    checkEcdsa(signature, key, scriptCode, version) {
      const hashType = signature.at(-1)
      if (hashType === undefined) return false
      const message =
        version === 'base'
          ? legacySignatureHash(transaction, index, scriptCode, hashType)
          : witnessV0SignatureHash(signing, scriptCode, hashType)
      return verifyEcdsa(signature, key, message)
    },

    requireSchnorr(signature, key, extension) {
      if (signature.length !== 64 && signature.length !== 65) throw new ScriptFailure('SCHNORR_SIG_SIZE')
      const hashType = signature[64] ?? 0
      // BIP341: an explicit SIGHASH_DEFAULT byte would make signatures malleable.
      if (signature.length === 65 && hashType === 0) throw new ScriptFailure('SCHNORR_SIG_HASHTYPE')
      const message = taprootSignatureHash(signing, extension, hashType)
      if (message === null) throw new ScriptFailure('SCHNORR_SIG_HASHTYPE')
      if (!schnorr.verify(signature.subarray(0, 64), message, key)) throw new ScriptFailure('SCHNORR_SIG')
    },

    /** BIP65: both times have the same unit, the lock time is reached, and the input is not final. */
    checkLockTime(lockTime) {
      if (lockTime < LOCKTIME_THRESHOLD !== transaction.lockTime < LOCKTIME_THRESHOLD) return false
      return lockTime <= transaction.lockTime && input.sequence !== SEQUENCE_FINAL
    },

    /** BIP112: the transaction has version 2, and its relative lock time is enabled, has the same unit and is reached. */
    checkSequence(sequence) {
      if (transaction.version < 2 || input.sequence >= 0x80000000) return false
      if ((sequence & SEQUENCE_TYPE_FLAG) !== (input.sequence & SEQUENCE_TYPE_FLAG)) return false
      return (sequence & SEQUENCE_MASK) <= (input.sequence & SEQUENCE_MASK)
    },
  }
}
