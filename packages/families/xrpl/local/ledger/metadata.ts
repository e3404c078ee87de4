// Computes the effects of a transaction, as nodes report them (rippled, ApplyStateTable.cpp): the entries that it created, changed and
// deleted.
import { accountKey, type Entry } from './entries.ts'
import type { Changes, Reader } from './view.ts'

export type Fields = Readonly<Record<string, unknown>>

export type AffectedNode = { readonly [kind in 'CreatedNode' | 'ModifiedNode' | 'DeletedNode']?: NodeFields }

type NodeFields = {
  readonly LedgerEntryType: string
  readonly LedgerIndex: string
  readonly NewFields?: Fields
  readonly FinalFields?: Fields
  readonly PreviousFields?: Fields
  readonly PreviousTxnID?: string
  readonly PreviousTxnLgrSeq?: number
}

export type Metadata = {
  readonly AffectedNodes: readonly AffectedNode[]
  readonly TransactionIndex: number
  readonly TransactionResult: string
}

type Threading = { readonly hash: string; readonly ledgerIndex: number }

/** The changed entries name the transaction. The nodes of the metadata are by key. */
export function threadChanges(
  base: Reader,
  changes: Changes,
  threading: Threading,
): { readonly changes: Changes; readonly nodes: readonly AffectedNode[] } {
  const changed = [...changes].filter(([key, entry]) => !isSame(base.get(key), entry))
  const touched = new Map(changed)
  for (const [key, entry] of changed) {
    const before = base.get(key)
    // The owner and the destination of an entry that was created or deleted are linked to the transaction too.
    if (before !== undefined && entry !== undefined) continue
    for (const owner of ownersOf(entry ?? before)) if (!touched.has(owner) && base.get(owner)) touched.set(owner, base.get(owner))
  }
  const sorted = [...touched].sort(([a], [b]) => (a < b ? -1 : 1))
  const threaded = sorted.map(
    ([key, entry]) => [key, entry && { ...entry, PreviousTxnID: threading.hash, PreviousTxnLgrSeq: threading.ledgerIndex }] as const,
  )
  return { changes: new Map(threaded), nodes: sorted.map(([key, entry]) => nodeOf(key, base.get(key), entry)) }
}

/** The transaction is in the history of these accounts (rippled, TxMeta::getAffectedAccounts). */
export function affectedAccounts({ AffectedNodes }: Metadata): ReadonlySet<string> {
  const accounts = new Set<string>()
  for (const { CreatedNode, ModifiedNode, DeletedNode } of AffectedNodes) {
    const fields = CreatedNode?.NewFields ?? (ModifiedNode ?? DeletedNode)?.FinalFields ?? {}
    for (const name of ACCOUNT_FIELDS) if (typeof fields[name] === 'string') accounts.add(fields[name])
  }
  return accounts
}

const ACCOUNT_FIELDS = ['Account', 'Destination', 'Owner', 'Authorize', 'RegularKey']
/** Nodes never report `Indexes` of directories. */
const UNTOLD = new Set(['LedgerEntryType', 'Indexes'])
const LINKS = new Set(['PreviousTxnID', 'PreviousTxnLgrSeq'])

function nodeOf(key: string, before: Entry | undefined, after: Entry | undefined): AffectedNode {
  const entry = after ?? before
  if (entry === undefined) throw new Error(`nothing happened to ${key}`)
  const base = { LedgerEntryType: entry.LedgerEntryType, LedgerIndex: key }
  if (before === undefined)
    return { CreatedNode: { ...base, NewFields: fieldsOf(entry, (name, value) => !LINKS.has(name) && !isDefault(value)) } }
  if (after === undefined) return { DeletedNode: { ...base, FinalFields: fieldsOf(before, () => true) } }
  const { PreviousTxnID, PreviousTxnLgrSeq } = before
  const links = { ...(PreviousTxnID !== undefined && { PreviousTxnID }), ...(PreviousTxnLgrSeq !== undefined && { PreviousTxnLgrSeq }) }
  if (isSame(before, after)) return { ModifiedNode: { ...base, ...links } }
  const now: Fields = after
  const previous = fieldsOf(before, (name, value) => !LINKS.has(name) && !isSame(value, now[name]))
  return {
    ModifiedNode: {
      ...base,
      FinalFields: fieldsOf(after, (name) => !LINKS.has(name)),
      ...(Object.keys(previous).length > 0 && { PreviousFields: previous }),
      ...links,
    },
  }
}

function fieldsOf(entry: Entry, isIncluded: (name: string, value: unknown) => boolean): Fields {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !UNTOLD.has(name) && isIncluded(name, value)))
}

const isDefault = (value: unknown) => value === 0 || value === '0'

function ownersOf(entry: Entry | undefined): readonly string[] {
  if (entry === undefined || entry.LedgerEntryType === 'AccountRoot' || entry.LedgerEntryType === 'DirectoryNode') return []
  return [entry.Account, ...(entry.LedgerEntryType === 'Escrow' ? [entry.Destination] : [])].map(accountKey)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
