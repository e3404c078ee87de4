// Queues transactions that wait for a lower fee of the open ledger, or for an earlier one of their account (rippled, TxQ.cpp).
import { minFee } from '../transactions/apply.ts'
import type { SignedTransaction } from '../transactions/signed-transaction.ts'

export interface Queue {
  refusal(transaction: SignedTransaction, ledgerIndex: number): 'telCAN_NOT_QUEUE' | 'telCAN_NOT_QUEUE_FEE' | 'telCAN_NOT_QUEUE_FULL' | null
  put(transaction: SignedTransaction): void
  remove(hash: string): boolean
  find(hash: string): SignedTransaction | undefined
  /** The transactions have an earlier sequence, and are in their order. One with a ticket has none before it. */
  before(transaction: SignedTransaction): readonly SignedTransaction[]
  /** The highest fee level comes first. Transactions of one account are in the order of sequences. */
  all(): readonly SignedTransaction[]
}

const MAX_OF_ACCOUNT = 10
/** A transaction needs this many ledgers before it expires. */
const MIN_LEDGERS_LEFT = 2
/** A replacement must pay more than this percentage of the fee. */
const REPLACEMENT = 125n

export function createQueue(): Queue {
  const waiting = new Map<string, SignedTransaction>()
  const ofAccount = (account: string) => [...waiting.values()].filter((other) => other.account === account)
  const replaced = (transaction: SignedTransaction) =>
    ofAccount(transaction.account).find((other) => other.sequence === transaction.sequence)

  return {
    refusal(transaction, ledgerIndex) {
      const { json, account, lastLedger } = transaction
      if (json.AccountTxnID !== undefined) return 'telCAN_NOT_QUEUE'
      if (lastLedger !== null && lastLedger < ledgerIndex + MIN_LEDGERS_LEFT) return 'telCAN_NOT_QUEUE'
      const existing = replaced(transaction)
      if (existing === undefined) return ofAccount(account).length < MAX_OF_ACCOUNT ? null : 'telCAN_NOT_QUEUE_FULL'
      return levelOf(transaction) * 100n > levelOf(existing) * REPLACEMENT ? null : 'telCAN_NOT_QUEUE_FEE'
    },
    put(transaction) {
      const existing = replaced(transaction)
      if (existing !== undefined) waiting.delete(existing.hash)
      waiting.set(transaction.hash, transaction)
    },
    remove: (hash) => waiting.delete(hash),
    find: (hash) => waiting.get(hash),
    before({ account, sequence, isTicket }) {
      if (isTicket) return []
      return ofAccount(account)
        .filter((other) => !other.isTicket && other.sequence < sequence)
        .sort((a, b) => a.sequence - b.sequence)
    },
    all: () =>
      [...waiting.values()].sort((a, b) =>
        a.account === b.account ? a.sequence - b.sequence : levelOf(a) === levelOf(b) ? 0 : levelOf(a) > levelOf(b) ? -1 : 1,
      ),
  }
}

/** The level is the fee in relation to the minimum, for which a reference transaction has 256. */
function levelOf(transaction: SignedTransaction): bigint {
  return (transaction.fee * 256n) / minFee(transaction, 1n)
}
