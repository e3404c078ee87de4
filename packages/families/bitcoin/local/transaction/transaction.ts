// Codes Bitcoin transactions: txid, wtxid, weight and virtual size (BIP141, BIP144).
import { concatBytes } from '@noble/hashes/utils.js'
import {
  type ByteReader,
  compactSize,
  createByteReader,
  fromDisplayHash,
  hash256,
  int64,
  lengthPrefixed,
  MalformedDataError,
  toDisplayHash,
  uint32,
} from '../wire/bytes.ts'

export type TransactionInput = {
  readonly txid: string
  readonly index: number
  readonly scriptSig: Uint8Array
  readonly sequence: number
  readonly witness: readonly Uint8Array[]
}

export type TransactionOutput = { readonly amount: bigint; readonly script: Uint8Array }

type TransactionBody = {
  readonly version: number
  readonly inputs: readonly TransactionInput[]
  readonly outputs: readonly TransactionOutput[]
  readonly lockTime: number
}

export type Transaction = TransactionBody & {
  readonly txid: string
  readonly wtxid: string
  readonly raw: Uint8Array
  readonly strippedSize: number
  readonly weight: number
  readonly vsize: number
  readonly hasWitness: boolean
}

export const NULL_TXID = '00'.repeat(32)
export const NULL_INDEX = 0xffffffff

export function outpointKey(txid: string, index: number): string {
  return `${txid}:${index}`
}

export function isCoinbase(transaction: TransactionBody): boolean {
  const first = transaction.inputs[0]
  return transaction.inputs.length === 1 && first !== undefined && first.txid === NULL_TXID && first.index === NULL_INDEX
}

export function serializeOutput(output: TransactionOutput): Uint8Array {
  return concatBytes(int64(output.amount), lengthPrefixed(output.script))
}

export function serializeOutpoint(input: TransactionInput): Uint8Array {
  return concatBytes(fromDisplayHash(input.txid), uint32(input.index))
}

export function serializeWitness(witness: readonly Uint8Array[]): Uint8Array {
  return concatBytes(compactSize(witness.length), ...witness.map(lengthPrefixed))
}

function serializeInputsAndOutputs(body: TransactionBody): Uint8Array {
  return concatBytes(
    compactSize(body.inputs.length),
    ...body.inputs.map((input) => concatBytes(serializeOutpoint(input), lengthPrefixed(input.scriptSig), uint32(input.sequence))),
    compactSize(body.outputs.length),
    ...body.outputs.map(serializeOutput),
  )
}

function complete(body: TransactionBody): Transaction {
  const middle = serializeInputsAndOutputs(body)
  const version = uint32(body.version)
  const lockTime = uint32(body.lockTime)
  const stripped = concatBytes(version, middle, lockTime)
  const hasWitness = body.inputs.some((input) => input.witness.length > 0)
  const raw = hasWitness
    ? concatBytes(version, Uint8Array.of(0, 1), middle, ...body.inputs.map((input) => serializeWitness(input.witness)), lockTime)
    : stripped
  const txid = toDisplayHash(hash256(stripped))
  const weight = stripped.length * 3 + raw.length
  return {
    ...body,
    txid,
    wtxid: hasWitness ? toDisplayHash(hash256(raw)) : txid,
    raw,
    strippedSize: stripped.length,
    weight,
    vsize: Math.ceil(weight / 4),
    hasWitness,
  }
}

export function createTransaction(body: TransactionBody): Transaction {
  return complete(body)
}

function readInputs(reader: ByteReader): Omit<TransactionInput, 'witness'>[] {
  return Array.from({ length: reader.compactSize() }, () => ({
    txid: toDisplayHash(reader.bytes(32)),
    index: reader.uint32(),
    scriptSig: reader.lengthPrefixed(),
    sequence: reader.uint32(),
  }))
}

function readOutputs(reader: ByteReader): TransactionOutput[] {
  return Array.from({ length: reader.compactSize() }, () => ({ amount: reader.int64(), script: reader.lengthPrefixed() }))
}

/** BIP144: a zero input count followed by a flag byte announces the extended format. */
export function readTransaction(reader: ByteReader): Transaction {
  const version = reader.uint32()
  let inputs = readInputs(reader)
  let outputs: TransactionOutput[] = []
  let flag = 0
  if (inputs.length === 0) {
    flag = reader.uint8()
    if (flag !== 0) {
      inputs = readInputs(reader)
      outputs = readOutputs(reader)
    }
  } else {
    outputs = readOutputs(reader)
  }
  if (flag > 1) throw new MalformedDataError('unknown transaction optional data')
  const witnesses = flag === 1 ? inputs.map(() => Array.from({ length: reader.compactSize() }, () => reader.lengthPrefixed())) : []
  if (flag === 1 && witnesses.every((witness) => witness.length === 0)) throw new MalformedDataError('superfluous witness record')
  const lockTime = reader.uint32()
  return complete({ version, inputs: inputs.map((input, i) => ({ ...input, witness: witnesses[i] ?? [] })), outputs, lockTime })
}

export function parseTransaction(raw: Uint8Array): Transaction {
  const reader = createByteReader(raw)
  const transaction = readTransaction(reader)
  if (reader.remaining() > 0) throw new MalformedDataError('data after the transaction')
  return transaction
}
