/**
 * Recognises our escrows in transactions and in the ledger. It is strict: an escrow with any further field (FinishAfter, a function that must agree to its
 * finish, an amount of a token) may not pay out when ours does, so it is not ours.
 */
import { type Json, list, record, text, whole } from '@tandem/chain-kit/providers/json.ts'
import type { EscrowChange } from '../../server/nodes/node.ts'
import { type Escrow, fromRippleTime } from '../htlc.ts'
import { hash } from './json.ts'

/** All fields that are signed or stored begin with a capital letter; those that nodes add do not. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  // An escrow has these fields.
  'Account',
  'Amount',
  'CancelAfter',
  'Condition',
  'Destination',
  'DestinationTag',
  // Every transaction may have these fields.
  'AccountTxnID',
  'Delegate',
  'Fee',
  'Flags',
  'LastLedgerSequence',
  'Memos',
  'NetworkID',
  'Sequence',
  'Signers',
  'SigningPubKey',
  'SourceTag',
  'TicketSequence',
  'TransactionType',
  'TxnSignature',
  // Every object in the ledger may have these fields.
  'DestinationNode',
  'LedgerEntryType',
  'OwnerNode',
  'PreviousTxnID',
  'PreviousTxnLgrSeq',
])

export function parseEscrow(fields: Json): Escrow | null {
  const { Account, Destination, DestinationTag: tag, Amount, Condition, CancelAfter } = fields
  if (Object.keys(fields).some((name) => /^[A-Z]/.test(name) && !KNOWN_FIELDS.has(name))) return null
  if (typeof Amount !== 'string' || !/^[1-9]\d{0,17}$/.test(Amount)) return null
  if (typeof Condition !== 'string' || typeof CancelAfter !== 'number') return null
  return {
    owner: text(Account),
    destination: text(Destination),
    tag: tag === undefined ? null : Number(whole(tag)),
    amount: BigInt(Amount),
    condition: Condition,
    cancelAfter: fromRippleTime(whole(CancelAfter)),
  }
}

const KINDS = { EscrowCreate: 'created', EscrowFinish: 'finished', EscrowCancel: 'cancelled' } as const

/** The result is null if the entry changed no escrow like ours. */
export function parseChange(entry: Json): EscrowChange | null {
  const transaction = record(entry.tx_json)
  const kind = KINDS[transaction.TransactionType as keyof typeof KINDS]
  if (kind === undefined || entry.validated !== true) return null
  const meta = record(entry.meta)
  // Every other code took the fee alone.
  if (meta.TransactionResult !== 'tesSUCCESS') return null
  const common = { tx: hash(entry.hash), ledger: whole(entry.ledger_index), ledgerHash: hash(entry.ledger_hash) }
  if (kind === 'created') {
    const escrow = escrowNode(meta, 'CreatedNode') === null ? null : parseEscrow(transaction)
    return escrow === null ? null : { ...common, kind, escrow, sequence: sequenceOf(transaction) }
  }
  // The transaction names the escrow, and the deleted node has its content.
  const deleted = escrowNode(meta, 'DeletedNode')
  const escrow = deleted === null ? null : parseEscrow(record(deleted.FinalFields))
  if (escrow === null || escrow.owner !== transaction.Owner) return null
  const ended = { ...common, escrow, sequence: whole(transaction.OfferSequence) }
  return kind === 'cancelled' ? { ...ended, kind } : { ...ended, kind, fulfillment: text(transaction.Fulfillment) }
}

/** A transaction with a ticket has the sequence 0: the escrow then has the number of the ticket. */
function sequenceOf({ Sequence, TicketSequence }: Json): bigint {
  const sequence = whole(Sequence)
  return sequence === 0n ? whole(TicketSequence) : sequence
}

function escrowNode(meta: Json, kind: 'CreatedNode' | 'DeletedNode'): Json | null {
  const nodes = list(meta.AffectedNodes).map((node) => record(node)[kind])
  return nodes.flatMap((node) => (node === undefined ? [] : [record(node)])).find((node) => node.LedgerEntryType === 'Escrow') ?? null
}

export function keyOfChange(change: EscrowChange): string {
  const { kind, tx, ledger, ledgerHash, sequence, escrow } = change
  const shown = kind === 'finished' ? change.fulfillment : ''
  return [kind, tx, ledger, ledgerHash, sequence, shown, ...Object.values(escrow)].join(' ')
}
