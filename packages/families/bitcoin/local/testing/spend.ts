// Builds and signs test transactions, valid or not.

import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { Script, type ScriptType } from '@scure/btc-signer/script.js'
import { legacySignatureHash } from '../script/sighash-legacy.ts'
import { digestSpend, taprootSignatureHash, witnessV0SignatureHash } from '../script/sighash-witness.ts'
import { createTransaction, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'
import { hash160, lengthPrefixed, taggedHash } from '../wire/bytes.ts'
import type { FundedCoin } from './test-chain.ts'

export type Key = {
  readonly secret: Uint8Array
  readonly compressed: Uint8Array
  readonly uncompressed: Uint8Array
  readonly xOnly: Uint8Array
}

/** Every spend asks for some of a few keys, and deriving one takes milliseconds. */
const keys = new Map<string, Key>()

export function keyOf(label: string): Key {
  const known = keys.get(label)
  if (known !== undefined) return known
  const secret = sha256(new TextEncoder().encode(`key of ${label}`))
  const key = {
    secret,
    compressed: secp256k1.getPublicKey(secret, true),
    uncompressed: secp256k1.getPublicKey(secret, false),
    xOnly: schnorr.getPublicKey(secret),
  }
  keys.set(label, key)
  return key
}

export const script = (...words: ScriptType): Uint8Array => Script.encode(words)

export const p2wpkhScript = (key: Uint8Array): Uint8Array => script('OP_0', hash160(key))
export const p2wshScript = (witnessScript: Uint8Array): Uint8Array => script('OP_0', sha256(witnessScript))
export const p2shScript = (redeemScript: Uint8Array): Uint8Array => script('HASH160', hash160(redeemScript), 'EQUAL')
export const p2pkhScript = (key: Uint8Array): Uint8Array => script('DUP', 'HASH160', hash160(key), 'EQUALVERIFY', 'CHECKSIG')

export const SEQUENCE_REPLACEABLE = 0xfffffffd
const FEE = 20_000n

export type SpendPlan = {
  readonly coins: readonly FundedCoin[]
  readonly outputs?: readonly TransactionOutput[]
  readonly version?: number
  readonly lockTime?: number
  readonly sequence?: number
}

export function unsigned({ coins, outputs, version = 2, lockTime = 0, sequence = SEQUENCE_REPLACEABLE }: SpendPlan): Transaction {
  const total = coins.reduce((sum, coin) => sum + coin.amount, 0n)
  return createTransaction({
    version,
    lockTime,
    inputs: coins.map(({ txid, index }, i) => ({
      txid,
      index,
      scriptSig: new Uint8Array(0),
      sequence: i === 0 ? sequence : SEQUENCE_REPLACEABLE,
      witness: [],
    })),
    outputs: outputs ?? [{ amount: total - FEE, script: p2wpkhScript(keyOf('recipient').compressed) }],
  })
}

export function unlock(
  transaction: Transaction,
  index: number,
  witness: readonly Uint8Array[],
  scriptSig: Uint8Array = new Uint8Array(0),
): Transaction {
  return createTransaction({
    ...transaction,
    inputs: transaction.inputs.map((input, i) => (i === index ? { ...input, witness, scriptSig } : input)),
  })
}

function signingInput(transaction: Transaction, coins: readonly FundedCoin[], index: number) {
  const input = transaction.inputs[index]
  const spent = coins[index]
  if (input === undefined || spent === undefined) throw new RangeError(`no input ${index}`)
  return { transaction, digests: digestSpend(transaction, coins), index, input, spent }
}

export type SchnorrOptions = {
  readonly hashType?: number
  readonly leaf?: Uint8Array
  readonly leafVersion?: number
  readonly annex?: Uint8Array
  readonly codeSeparatorPosition?: number
  readonly index?: number
}

export function leafHashOf(leaf: Uint8Array, leafVersion = 0xc0): Uint8Array {
  return taggedHash('TapLeaf', Uint8Array.of(leafVersion), lengthPrefixed(leaf))
}

export function taprootMessage(transaction: Transaction, coins: readonly FundedCoin[], options: SchnorrOptions = {}): Uint8Array {
  const { hashType = 0, leaf, leafVersion, annex, codeSeparatorPosition = 0xffffffff, index = 0 } = options
  const extension = {
    annexHash: annex === undefined ? null : sha256(lengthPrefixed(annex)),
    leaf: leaf === undefined ? null : { hash: leafHashOf(leaf, leafVersion), codeSeparatorPosition },
  }
  const message = taprootSignatureHash(signingInput(transaction, coins, index), extension, hashType)
  return message ?? new Uint8Array(32)
}

export function signSchnorr(
  transaction: Transaction,
  coins: readonly FundedCoin[],
  secret: Uint8Array,
  options: SchnorrOptions = {},
): Uint8Array {
  const signature = schnorr.sign(taprootMessage(transaction, coins, options), secret)
  return options.hashType ? Uint8Array.of(...signature, options.hashType) : signature
}

export type EcdsaOptions = {
  readonly hashType?: number
  readonly version?: 'base' | 'witness-v0'
  readonly index?: number
  readonly highS?: boolean
}

export function signEcdsa(
  transaction: Transaction,
  coins: readonly FundedCoin[],
  secret: Uint8Array,
  code: Uint8Array,
  options: EcdsaOptions = {},
): Uint8Array {
  const { hashType = 1, version = 'witness-v0', index = 0, highS = false } = options
  const message =
    version === 'base'
      ? legacySignatureHash(transaction, index, code, hashType)
      : witnessV0SignatureHash(signingInput(transaction, coins, index), code, hashType)
  const low = secp256k1.Signature.fromBytes(secp256k1.sign(message, secret, { prehash: false }))
  const signature = highS ? new secp256k1.Signature(low.r, secp256k1.Point.Fn.ORDER - low.s) : low
  return concatBytes(signature.toBytes('der'), Uint8Array.of(hashType))
}

export type Verdict = 'standard' | 'non-standard' | 'invalid'

export type SpendCase = {
  readonly name: string
  readonly scripts: readonly Uint8Array[]
  /** The mempool accepts `standard`, only a block may contain `non-standard`, and neither accepts `invalid`. */
  readonly verdict: Verdict
  readonly reason?: string
  spend(coins: readonly FundedCoin[]): Transaction
}

export const COIN_AMOUNT = 1_000_000n

const EMPTY = new Uint8Array(0)

type Unlocking = { witness?: readonly Uint8Array[]; scriptSig?: Uint8Array }

export function spendCase(
  name: string,
  outputScript: Uint8Array,
  verdict: Verdict,
  reason: string | null,
  unlocking: (transaction: Transaction, coins: readonly FundedCoin[]) => Unlocking,
  plan: Omit<SpendPlan, 'coins'> = {},
): SpendCase {
  return {
    name,
    scripts: [outputScript],
    verdict,
    ...(reason === null ? {} : { reason }),
    spend(coins) {
      const transaction = unsigned({ coins, ...plan })
      const { witness = [], scriptSig = EMPTY } = unlocking(transaction, coins)
      return unlock(transaction, 0, witness, scriptSig)
    },
  }
}

const owner = keyOf('owner')
export const ownerScript = p2wpkhScript(owner.compressed)
const ownerCode = p2pkhScript(owner.compressed)

export type PaymentOptions = {
  readonly feeSats?: bigint
  readonly outputs?: readonly TransactionOutput[]
  readonly sequence?: number
  readonly version?: number
}

export function payment(coins: readonly FundedCoin[], { feeSats = 1_000n, outputs, ...plan }: PaymentOptions = {}): Transaction {
  const total = coins.reduce((sum, coin) => sum + coin.amount, 0n)
  const transaction = unsigned({ coins, outputs: outputs ?? [{ amount: total - feeSats, script: ownerScript }], ...plan })
  return coins.reduce(
    (signed, _, index) => unlock(signed, index, [signEcdsa(transaction, coins, owner.secret, ownerCode, { index }), owner.compressed]),
    transaction,
  )
}

export function outputOf(transaction: Transaction, index = 0): FundedCoin {
  const output = transaction.outputs[index]
  if (output === undefined) throw new RangeError(`no output ${index}`)
  return { txid: transaction.txid, index, ...output }
}

export function split(coin: FundedCoin, parts: number, feeSats = 2_000n): Transaction {
  const amount = (coin.amount - feeSats) / BigInt(parts)
  return payment([coin], { outputs: Array.from({ length: parts }, () => ({ amount, script: ownerScript })) })
}
