/** Parses a mined transaction: whether it succeeded, and every instruction that ran. */
import { bytesToHex } from '@noble/hashes/utils.js'
import {
  type Base64EncodedDataResponse,
  type CompiledTransactionMessage,
  decodeTransactionFromRpcResponse,
  getSignatureFromTransaction,
  type LoadedAddresses,
  type MetaWithInnerInstructions,
  type Signature,
  walkInstructions,
} from '@solana/kit'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { malformed, record, whole } from '@tandem/chain-kit/providers/json.ts'
import type { ExecutedInstruction } from '../../contract/client/decode.ts'
import type { NodeTransaction } from '../../server/nodes/node.ts'
import { transactionError } from './json.ts'

/** A node refuses transactions of a later version: reading stops, so that none is overlooked. */
export const TRANSACTION_OPTIONS = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 } as const

/** The bytes name the signature, so a node cannot show another transaction instead. */
export function parseTransaction(asked: Signature, answer: unknown): NodeTransaction {
  const { slot, transaction, meta } = record(answer)
  const { err, innerInstructions, loadedAddresses } = record(meta)
  const error = transactionError(err)
  const { compiledMessage, transaction: wire } = decoded(() =>
    decodeTransactionFromRpcResponse({ transaction: transaction as Base64EncodedDataResponse }),
  )
  if (decoded(() => getSignatureFromTransaction(wire)) !== asked) throw malformed(`transaction ${asked}`)
  const shared = { signature: asked, slot: whole(slot), error }
  if (error !== null) return { ...shared, instructions: [] }
  // Inner instructions are absent if the node does not record them. That would hide an order that another program made or settled.
  if (!Array.isArray(innerInstructions))
    throw new ChainFailure('unreachable', `the node does not record inner instructions: ${asked} has none`)
  const loaded = loadedOf(compiledMessage, loadedAddresses)
  const meta58 = { innerInstructions } as MetaWithInnerInstructions
  const instructions = decoded(() => walkInstructions({ compiledMessage, loadedAddresses: loaded, meta: meta58 }).map(executed))
  return { ...shared, instructions }
}

type Walked = ReturnType<typeof walkInstructions>[number]

function executed({ programAddress, accounts = [], data = new Uint8Array() }: Walked): ExecutedInstruction {
  return { programAddress, accounts: accounts.map(({ address }) => address), data }
}

/** Instructions name accounts by index: with too few loaded ones, an index would name another account. */
function loadedOf(message: CompiledTransactionMessage, value: unknown): LoadedAddresses {
  const loaded = (value ?? { readonly: [], writable: [] }) as LoadedAddresses
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : []
  const expected = {
    readonly: lookups.reduce((sum, { readonlyIndexes }) => sum + readonlyIndexes.length, 0),
    writable: lookups.reduce((sum, { writableIndexes }) => sum + writableIndexes.length, 0),
  }
  if (loaded.readonly?.length !== expected.readonly || loaded.writable?.length !== expected.writable)
    throw malformed('the addresses of lookup tables')
  return loaded
}

function decoded<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw malformed('a transaction')
  }
}

export function keyOfTransaction({ signature, slot, error, instructions }: NodeTransaction): string {
  const all = instructions.map(({ programAddress, accounts, data }) =>
    [programAddress, accounts, bytesToHex(Uint8Array.from(data))].join(' '),
  )
  return [signature, slot, JSON.stringify(error), ...all].join('\n')
}
