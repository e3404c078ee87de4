// Reads a signed transaction from its binary form, with the checks that need no ledger.
import { decode, deriveAddress, encode, encodeForSigning, hashes, type Transaction, verifySignature } from 'xrpl'
import { isEd25519, isSignedBy } from '../account-keys.ts'
import type { Fields } from '../ledger/metadata.ts'
import { isTransactionType, type TransactionType, templates } from './templates.ts'

export type SignedTransaction = {
  readonly hash: string
  readonly blob: string
  readonly json: Fields
  readonly type: TransactionType
  readonly account: string
  readonly fee: bigint
  /** The key of a new entry is made from the sequence, or from that of the ticket. */
  readonly sequence: number
  readonly isTicket: boolean
  readonly lastLedger: number | null
  /** The signer is null if several keys signed, whose signatures are not checked. */
  readonly signer: string | null
}

/** A node answers `invalidTransaction` with this text. */
export class FailsLocalChecks extends Error {}

export function readTransaction(blob: string): SignedTransaction {
  const json = decodeBlob(blob)
  const type = json.TransactionType
  if (!isTransactionType(type)) throw new FailsLocalChecks(`fails local checks: the simulator does not know ${String(type)}.`)
  checkFields(json, templates[type])
  const hasSequence = json.Sequence !== 0
  return {
    hash: hashes.hashSignedTx(blob),
    blob: blob.toUpperCase(),
    json,
    type,
    account: String(json.Account),
    fee: BigInt(String(json.Fee)),
    sequence: Number(hasSequence ? json.Sequence : (json.TicketSequence ?? 0)),
    isTicket: !hasSequence && json.TicketSequence !== undefined,
    lastLedger: typeof json.LastLedgerSequence === 'number' ? json.LastLedgerSequence : null,
    signer: signerOf(json),
  }
}

function decodeBlob(blob: string): Fields {
  try {
    const json = decode(blob)
    // Only one form is allowed, or the same transaction would have several hashes.
    if (encode(json as unknown as Transaction) === blob.toUpperCase()) return json
  } catch (error) {
    throw new FailsLocalChecks(`fails local checks: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new FailsLocalChecks('fails local checks: not in canonical form.')
}

function checkFields(
  json: Fields,
  { required, optional }: { readonly required: readonly string[]; readonly optional: readonly string[] },
): void {
  for (const name of required)
    if (json[name] === undefined) throw new FailsLocalChecks(`fails local checks: Field '${name}' is required but missing.`)
  const allowed = new Set([...required, ...optional])
  for (const name of Object.keys(json))
    if (!allowed.has(name)) throw new FailsLocalChecks(`fails local checks: Field '${name}' found in disallowed location.`)
  if (typeof json.Fee !== 'string') throw new FailsLocalChecks('fails local checks: Fee is not XRP.')
}

function signerOf(json: Fields): string | null {
  const { SigningPubKey, TxnSignature, Signers } = json
  if (SigningPubKey === '' && Signers !== undefined && TxnSignature === undefined) return null
  if (!isSignatureValid(json)) throw new FailsLocalChecks('fails local checks: Invalid signature.')
  return deriveAddress(String(SigningPubKey))
}

function isSignatureValid(json: Fields): boolean {
  const { SigningPubKey, TxnSignature, Signers } = json
  if (Signers !== undefined || typeof SigningPubKey !== 'string' || typeof TxnSignature !== 'string') return false
  const transaction = json as unknown as Transaction
  if (isEd25519(SigningPubKey)) return isSignedBy(SigningPubKey, encodeForSigning(transaction), TxnSignature)
  try {
    return verifySignature(transaction)
  } catch {
    // The key is not a public key, or the signature is none.
    return false
  }
}
