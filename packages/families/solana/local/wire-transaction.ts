// Reads a transaction from its bytes: signatures, accounts with their roles, instructions.
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit'

export type WireMessage = Exclude<CompiledTransactionMessage, { readonly version: 1 }> & CompiledTransactionMessageWithLifetime

export interface WireTransaction {
  readonly bytes: Uint8Array
  readonly transaction: Transaction
  readonly message: WireMessage
  /** The texts are base58. The first signature is the transaction's id. */
  readonly signatures: readonly string[]
  readonly signature: string
  readonly blockhash: string
}

/** A transaction fits into one IPv6 packet. */
export const MAX_TRANSACTION_SIZE = 1232

const base58 = getBase58Decoder()

export function readTransaction(bytes: Uint8Array): WireTransaction {
  const transaction = getTransactionDecoder().decode(bytes)
  const message = readMessage(transaction.messageBytes)
  // A missing signature is 64 zero bytes on the wire.
  const signatures = Object.values(transaction.signatures).map((signature) => base58.decode(signature ?? new Uint8Array(64)))
  const [signature] = signatures
  if (signature === undefined) throw new Error('a transaction without a signature')
  return { bytes, transaction, message, signatures, signature, blockhash: message.lifetimeToken }
}

export function readMessage(bytes: ArrayLike<number>): WireMessage {
  const message = getCompiledTransactionMessageDecoder().decode(Uint8Array.from(bytes))
  if (message.version === 1) throw new Error('transactions of version 1 are not supported')
  const length = getCompiledTransactionMessageEncoder().encode(message).length
  if (length !== bytes.length) throw new Error(`${bytes.length - length} bytes after the message`)
  return message
}

export function isWritable({ header, staticAccounts }: WireMessage, index: number): boolean {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header
  if (index < numSignerAccounts) return index < numSignerAccounts - numReadonlySignerAccounts
  return index < staticAccounts.length - numReadonlyNonSignerAccounts
}

export type LoadedAddresses = { readonly writable: readonly Address[]; readonly readonly: readonly Address[] }
