// Lists the fields that a transaction may have (rippled, TxFormats.cpp). A node refuses all others.

const REQUIRED = ['TransactionType', 'Account', 'Fee', 'Sequence', 'SigningPubKey']
const OPTIONAL = [
  'Flags',
  'SourceTag',
  'LastLedgerSequence',
  'AccountTxnID',
  'Memos',
  'TxnSignature',
  'Signers',
  'TicketSequence',
  'NetworkID',
]

const template = (required: readonly string[], optional: readonly string[] = []) => ({
  required: [...REQUIRED, ...required],
  optional: [...OPTIONAL, ...optional],
})

export const templates = {
  Payment: template(['Destination', 'Amount'], ['DestinationTag', 'InvoiceID', 'SendMax', 'DeliverMin', 'Paths']),
  EscrowCreate: template(['Destination', 'Amount'], ['DestinationTag', 'Condition', 'CancelAfter', 'FinishAfter']),
  EscrowFinish: template(['Owner', 'OfferSequence'], ['Condition', 'Fulfillment']),
  EscrowCancel: template(['Owner', 'OfferSequence']),
  AccountSet: template([], ['SetFlag', 'ClearFlag']),
  SetRegularKey: template([], ['RegularKey']),
  TicketCreate: template(['TicketCount']),
  DepositPreauth: template([], ['Authorize', 'Unauthorize']),
} as const

export type TransactionType = keyof typeof templates

export function isTransactionType(type: unknown): type is TransactionType {
  return typeof type === 'string' && Object.hasOwn(templates, type)
}
