// Reads and changes entries. The state below stays unchanged until the changes are taken over.
import {
  type AccountRoot,
  accountKey,
  type DirectoryNode,
  directoryKey,
  type Entry,
  type EntryType,
  type Escrow,
  escrowKey,
} from './entries.ts'

export interface Reader {
  get(key: string): Entry | undefined
}

/** Undefined means that the entry was deleted. */
export type Changes = ReadonlyMap<string, Entry | undefined>

export interface View extends Reader {
  put(key: string, entry: Entry): void
  erase(key: string): void
  merge(changes: Changes): void
  readonly changes: Changes
}

export function createView(base: Reader): View {
  const changes = new Map<string, Entry | undefined>()
  return {
    changes,
    get: (key) => (changes.has(key) ? changes.get(key) : base.get(key)),
    put: (key, entry) => void changes.set(key, entry),
    erase: (key) => void changes.set(key, undefined),
    merge(others) {
      for (const [key, entry] of others) changes.set(key, entry)
    },
  }
}

function entryOf<Type extends EntryType>(reader: Reader, type: Type, key: string): Extract<Entry, { LedgerEntryType: Type }> | undefined {
  const entry = reader.get(key)
  return entry?.LedgerEntryType === type ? (entry as Extract<Entry, { LedgerEntryType: Type }>) : undefined
}

export const accountOf = (reader: Reader, account: string): AccountRoot | undefined => entryOf(reader, 'AccountRoot', accountKey(account))

export const escrowOf = (reader: Reader, owner: string, sequence: number): Escrow | undefined =>
  entryOf(reader, 'Escrow', escrowKey(owner, sequence))

export const directoryOf = (reader: Reader, owner: string): DirectoryNode | undefined =>
  entryOf(reader, 'DirectoryNode', directoryKey(owner))

export function changeAccount(view: View, account: string, change: (root: AccountRoot) => AccountRoot): void {
  const root = accountOf(view, account)
  if (root === undefined) throw new Error(`there is no account ${account}`)
  view.put(accountKey(account), change(root))
}

export const addBalance = (view: View, account: string, drops: bigint) =>
  changeAccount(view, account, (root) => ({ ...root, Balance: String(BigInt(root.Balance) + drops) }))

export const addOwned = (view: View, account: string, count: number) =>
  changeAccount(view, account, (root) => ({ ...root, OwnerCount: root.OwnerCount + count }))

/** Every directory has one page. */
export const ONLY_PAGE = '0'

export function addToDirectory(view: View, owner: string, key: string): void {
  const root = directoryKey(owner)
  const directory = directoryOf(view, owner) ?? { LedgerEntryType: 'DirectoryNode', Flags: 0, Owner: owner, RootIndex: root, Indexes: [] }
  view.put(root, { ...directory, Indexes: [...directory.Indexes, key] })
}

/** The directory itself stays, even when it is empty. */
export function removeFromDirectory(view: View, owner: string, key: string): void {
  const directory = directoryOf(view, owner)
  if (directory === undefined) throw new Error(`${owner} has no directory`)
  view.put(directoryKey(owner), { ...directory, Indexes: directory.Indexes.filter((other) => other !== key) })
}
