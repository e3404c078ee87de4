// Computes the messages that segwit v0 (BIP143) and taproot (BIP341, BIP342) signatures commit to.
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import {
  serializeOutpoint,
  serializeOutput,
  type Transaction,
  type TransactionInput,
  type TransactionOutput,
} from '../transaction/transaction.ts'
import { hash256, int64, lengthPrefixed, taggedHash, uint32 } from '../wire/bytes.ts'

const ALL = 1
const NONE = 2
const SINGLE = 3
const ANYONECANPAY = 0x80
const ZERO = new Uint8Array(32)

/** The signatures of one transaction share these digests, which are single SHA256. BIP143 hashes them again. */
export type SpendDigests = {
  readonly prevouts: Uint8Array
  readonly sequences: Uint8Array
  readonly outputs: Uint8Array
  readonly amounts: Uint8Array
  readonly scripts: Uint8Array
}

export function digestSpend(transaction: Transaction, spent: readonly TransactionOutput[]): SpendDigests {
  return {
    prevouts: sha256(concatBytes(...transaction.inputs.map(serializeOutpoint))),
    sequences: sha256(concatBytes(...transaction.inputs.map((input) => uint32(input.sequence)))),
    outputs: sha256(concatBytes(...transaction.outputs.map(serializeOutput))),
    amounts: sha256(concatBytes(...spent.map((output) => int64(output.amount)))),
    scripts: sha256(concatBytes(...spent.map((output) => lengthPrefixed(output.script)))),
  }
}

export type SigningInput = {
  readonly transaction: Transaction
  readonly digests: SpendDigests
  readonly index: number
  readonly input: TransactionInput
  readonly spent: TransactionOutput
}

export function witnessV0SignatureHash(signing: SigningInput, scriptCode: Uint8Array, hashType: number): Uint8Array {
  const { transaction, digests, index, input, spent } = signing
  const base = hashType & 0x1f
  const anyoneCanPay = (hashType & ANYONECANPAY) !== 0
  const single = transaction.outputs[index]
  const outputs =
    base !== SINGLE && base !== NONE ? sha256(digests.outputs) : base === SINGLE && single ? hash256(serializeOutput(single)) : ZERO
  return hash256(
    concatBytes(
      uint32(transaction.version),
      anyoneCanPay ? ZERO : sha256(digests.prevouts),
      anyoneCanPay || base === SINGLE || base === NONE ? ZERO : sha256(digests.sequences),
      serializeOutpoint(input),
      lengthPrefixed(scriptCode),
      int64(spent.amount),
      uint32(input.sequence),
      outputs,
      uint32(transaction.lockTime),
      uint32(hashType),
    ),
  )
}

export type TaprootExtension = {
  /** The hash is the SHA256 of the length-prefixed annex. */
  readonly annexHash: Uint8Array | null
  /** BIP342 commits to the last executed OP_CODESEPARATOR. The leaf is null on the key path. */
  readonly leaf: { readonly hash: Uint8Array; readonly codeSeparatorPosition: number } | null
}

/** BIP341 defines the hash. It is null when the hash type is undefined or SINGLE has no matching output. */
export function taprootSignatureHash(signing: SigningInput, extension: TaprootExtension, hashType: number): Uint8Array | null {
  const { transaction, digests, index, input, spent } = signing
  if (!(hashType <= 3 || (hashType >= 0x81 && hashType <= 0x83))) return null
  const output = hashType === 0 ? ALL : hashType & 3
  const anyoneCanPay = (hashType & ANYONECANPAY) !== 0
  const single = transaction.outputs[index]
  if (output === SINGLE && single === undefined) return null
  const { annexHash, leaf } = extension
  return taggedHash(
    'TapSighash',
    Uint8Array.of(0, hashType),
    uint32(transaction.version),
    uint32(transaction.lockTime),
    ...(anyoneCanPay ? [] : [digests.prevouts, digests.amounts, digests.scripts, digests.sequences]),
    ...(output === ALL ? [digests.outputs] : []),
    Uint8Array.of((leaf === null ? 0 : 2) + (annexHash === null ? 0 : 1)),
    ...(anyoneCanPay
      ? [serializeOutpoint(input), int64(spent.amount), lengthPrefixed(spent.script), uint32(input.sequence)]
      : [uint32(index)]),
    ...(annexHash === null ? [] : [annexHash]),
    ...(output === SINGLE && single !== undefined ? [sha256(serializeOutput(single))] : []),
    ...(leaf === null ? [] : [leaf.hash, Uint8Array.of(0), uint32(leaf.codeSeparatorPosition)]),
  )
}
