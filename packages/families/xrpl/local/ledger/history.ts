// Keeps the validated ledgers, oldest first, with their transactions and the state after the newest one.
import { createHash } from 'node:crypto'
import { hashes, type Transaction, type TransactionMetadata } from 'xrpl'
import type { SignedTransaction } from '../transactions/signed-transaction.ts'
import { CLOSE_RESOLUTION } from './close-time.ts'
import type { Entry } from './entries.ts'
import { affectedAccounts, type Metadata } from './metadata.ts'
import type { Changes, Reader } from './view.ts'

export type ValidatedTransaction = {
  readonly transaction: SignedTransaction
  readonly meta: Metadata
  readonly ledgerIndex: number
}

export type Ledger = {
  readonly index: number
  readonly hash: string
  readonly parentHash: string
  readonly closeTime: number
  readonly parentCloseTime: number
  /** Fees are destroyed, so fewer drops exist after them. */
  readonly totalCoins: bigint
  readonly transactionHash: string
  readonly accountHash: string
  readonly transactions: readonly ValidatedTransaction[]
}

/** The entries are those before the ledger's changes. */
type StoredLedger = Ledger & { readonly before: Changes }

export interface History {
  readonly state: Reader
  tip(): Ledger
  at(index: number): Ledger | undefined
  byHash(hash: string): Ledger | undefined
  stateAt(index: number): Reader | undefined
  transaction(hash: string): ValidatedTransaction | undefined
  ofAccount(account: string): readonly ValidatedTransaction[]
  append(next: NextLedger): Ledger
  undo(count: number): readonly Ledger[]
}

export type NextLedger = {
  readonly closeTime: number
  readonly transactions: readonly ValidatedTransaction[]
  readonly changes: Changes
  /** The number differs between forks, so that their ledgers have other hashes even if they are empty. */
  readonly fork: number
}

const NO_HASH = '0'.repeat(64)

export function createHistory(genesis: Changes, closeTime: number, totalCoins: bigint): History {
  const state = new Map<string, Entry>()
  const ledgers: StoredLedger[] = []
  const byHash = new Map<string, Ledger>()
  const transactions = new Map<string, ValidatedTransaction>()
  const ofAccount = new Map<string, ValidatedTransaction[]>()

  function tip(): StoredLedger {
    const newest = ledgers.at(-1)
    if (newest === undefined) throw new Error('there is no ledger')
    return newest
  }

  const at = (index: number): StoredLedger | undefined => (index >= 1 ? ledgers[index - 1] : undefined)

  function write(changes: Changes): Changes {
    const before = new Map([...changes.keys()].map((key) => [key, state.get(key)]))
    for (const [key, entry] of changes) {
      if (entry === undefined) state.delete(key)
      else state.set(key, entry)
    }
    return before
  }

  function store(ledger: Omit<Ledger, 'hash' | 'accountHash'>, accountHash: string, changes: Changes): Ledger {
    const stored = { ...ledger, accountHash, hash: headerHash({ ...ledger, accountHash }), before: write(changes) }
    ledgers.push(stored)
    byHash.set(stored.hash, stored)
    for (const validated of stored.transactions) {
      transactions.set(validated.transaction.hash, validated)
      for (const account of affectedAccounts(validated.meta)) {
        const list = ofAccount.get(account)
        if (list === undefined) ofAccount.set(account, [validated])
        else list.push(validated)
      }
    }
    return stored
  }

  function undoOne(): Ledger {
    const ledger = tip()
    if (ledger.index === 1) throw new RangeError('the first ledger cannot be undone')
    ledgers.pop()
    byHash.delete(ledger.hash)
    write(ledger.before)
    for (const { transaction, meta } of ledger.transactions) {
      transactions.delete(transaction.hash)
      for (const account of affectedAccounts(meta)) ofAccount.get(account)?.pop()
    }
    return ledger
  }

  store(
    { index: 1, parentHash: NO_HASH, closeTime, parentCloseTime: 0, totalCoins, transactionHash: NO_HASH, transactions: [] },
    NO_HASH,
    genesis,
  )

  return {
    state: { get: (key) => state.get(key) },
    tip,
    at,
    byHash: (hash) => byHash.get(hash),
    stateAt(index) {
      if (at(index) === undefined) return undefined
      const earlier = new Map<string, Entry | undefined>()
      for (let height = tip().index; height > index; height -= 1)
        for (const [key, entry] of at(height)?.before ?? []) earlier.set(key, entry)
      return { get: (key) => (earlier.has(key) ? earlier.get(key) : state.get(key)) }
    },
    transaction: (hash) => transactions.get(hash),
    ofAccount: (account) => ofAccount.get(account) ?? [],
    append({ closeTime: nextCloseTime, transactions: added, changes, fork }) {
      const parent = tip()
      const burnt = added.reduce((sum, { transaction }) => sum + transaction.fee, 0n)
      const ledger = {
        index: parent.index + 1,
        parentHash: parent.hash,
        closeTime: nextCloseTime,
        parentCloseTime: parent.closeTime,
        totalCoins: parent.totalCoins - burnt,
        transactionHash: hashes.hashTxTree(added.map(treeItem)),
        transactions: added,
      }
      return store(ledger, nextAccountHash(parent.accountHash, changes, fork), changes)
    },
    undo: (count) => Array.from({ length: count }, undoOne).reverse(),
  }
}

function treeItem({ transaction, meta }: ValidatedTransaction): Transaction & { metaData: TransactionMetadata } {
  return { ...transaction.json, metaData: meta } as unknown as Transaction & { metaData: TransactionMetadata }
}

/** The reference hashes a tree of all entries. This hash is a chain of hashes of the changes: as unique, and cheap. */
function nextAccountHash(parent: string, changes: Changes, fork: number): string {
  return createHash('sha512')
    .update(`${parent} ${fork}`)
    .update(JSON.stringify([...changes]))
    .digest('hex')
    .slice(0, 64)
    .toUpperCase()
}

function headerHash(ledger: Omit<Ledger, 'hash'>): string {
  return hashes.hashLedgerHeader({
    ledger_index: ledger.index,
    total_coins: String(ledger.totalCoins),
    parent_hash: ledger.parentHash,
    transaction_hash: ledger.transactionHash,
    account_hash: ledger.accountHash,
    parent_close_time: ledger.parentCloseTime,
    close_time: ledger.closeTime,
    close_time_resolution: CLOSE_RESOLUTION,
    close_flags: 0,
  } as Parameters<typeof hashes.hashLedgerHeader>[0])
}
