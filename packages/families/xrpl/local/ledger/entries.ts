// Lists the entries of the ledger that are simulated, and the keys under which they are stored (rippled, Indexes.cpp).
import { createHash } from 'node:crypto'
import { decodeAccountID, hashes } from 'xrpl'

/** The last transaction that changed the entry is absent in the genesis ledger. */
type Threaded = { readonly PreviousTxnID?: string; readonly PreviousTxnLgrSeq?: number }

export type AccountRoot = Threaded & {
  readonly LedgerEntryType: 'AccountRoot'
  readonly Account: string
  /** The balance is in drops. */
  readonly Balance: string
  readonly Flags: number
  readonly OwnerCount: number
  readonly Sequence: number
  readonly TicketCount?: number
  readonly RegularKey?: string
}

export type Escrow = Threaded & {
  readonly LedgerEntryType: 'Escrow'
  readonly Account: string
  readonly Destination: string
  readonly Amount: string
  readonly Flags: number
  readonly OwnerNode: string
  readonly DestinationNode?: string
  readonly Condition?: string
  readonly CancelAfter?: number
  readonly FinishAfter?: number
  readonly SourceTag?: number
  readonly DestinationTag?: number
}

export type Ticket = Threaded & {
  readonly LedgerEntryType: 'Ticket'
  readonly Account: string
  readonly Flags: number
  readonly OwnerNode: string
  readonly TicketSequence: number
}

export type DepositPreauth = Threaded & {
  readonly LedgerEntryType: 'DepositPreauth'
  readonly Account: string
  readonly Authorize: string
  readonly Flags: number
  readonly OwnerNode: string
}

/** The reference splits a directory into pages of 32; here it is one page. */
export type DirectoryNode = Threaded & {
  readonly LedgerEntryType: 'DirectoryNode'
  readonly Flags: number
  readonly Owner: string
  readonly RootIndex: string
  readonly Indexes: readonly string[]
}

export type Entry = AccountRoot | Escrow | Ticket | DepositPreauth | DirectoryNode
export type EntryType = Entry['LedgerEntryType']

export const accountFlags = {
  requireDestTag: 0x00020000,
  disallowXrp: 0x00080000,
  disableMaster: 0x00100000,
  depositAuth: 0x01000000,
} as const

const keyOf = (space: string, ...parts: readonly Uint8Array[]) =>
  createHash('sha512')
    .update(Buffer.concat([Buffer.from([0]), Buffer.from(space, 'ascii'), ...parts]))
    .digest('hex')
    .slice(0, 64)
    .toUpperCase()

export const accountKey = (account: string) => hashes.hashAccountRoot(account)
export const escrowKey = (owner: string, sequence: number) => hashes.hashEscrow(owner, sequence)
export const directoryKey = (owner: string) => keyOf('O', decodeAccountID(owner))
export const depositPreauthKey = (owner: string, authorized: string) => keyOf('p', decodeAccountID(owner), decodeAccountID(authorized))

export function ticketKey(owner: string, sequence: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(sequence)
  return keyOf('T', decodeAccountID(owner), bytes)
}
