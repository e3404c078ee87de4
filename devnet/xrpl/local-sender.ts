// Signs and sends transactions of one key inside the process: for the faucet and for tests.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SubmittableTransaction, Wallet } from 'xrpl'
import type { Submission, XrplNode } from './chain/node.ts'
import type { Fields } from './ledger/metadata.ts'
import { accountOf } from './ledger/view.ts'
import { leastFee } from './transactions/apply.ts'
import { readTransaction, type SignedTransaction } from './transactions/signed-transaction.ts'

export interface LocalSender {
  readonly address: string
  readonly wallet: Wallet
  /** Fills in what is missing (fee, sequence, last ledger), signs and sends. */
  send(fields: Fields): Submission & { readonly transaction: SignedTransaction }
  /** Sends, and resolves to the hash when it is in a ledger; rejects if it failed. */
  confirm(fields: Fields): Promise<string>
}

/** How many ledgers a transaction may wait. */
const LEDGERS_LEFT = 20
const POLL_MS = 50

export function createLocalSender(node: XrplNode, wallet: Wallet): LocalSender {
  function sign(fields: Fields): SignedTransaction {
    const signed = wallet.sign(fields as unknown as SubmittableTransaction)
    return readTransaction(signed.tx_blob)
  }

  function send(fields: Fields): Submission & { readonly transaction: SignedTransaction } {
    const { view, rules } = node.open()
    const filled = {
      Account: wallet.classicAddress,
      Sequence: accountOf(view, wallet.classicAddress)?.Sequence ?? 0,
      LastLedgerSequence: rules.ledgerIndex + LEDGERS_LEFT,
      Fee: String(node.openLedgerFee()),
      ...fields,
    }
    const draft = sign(filled)
    const transaction = fields.Fee === undefined ? sign({ ...filled, Fee: String(leastFee(draft, node.openLedgerFee())) }) : draft
    return { ...node.submit(transaction), transaction }
  }

  return {
    address: wallet.classicAddress,
    wallet,
    send,
    async confirm(fields) {
      const { transaction, result } = send(fields)
      node.closeOnDemand()
      while (node.history.transaction(transaction.hash) === undefined) {
        if (node.history.tip().index >= (transaction.lastLedger ?? 0)) throw new Error(`${transaction.hash} is in no ledger: ${result}`)
        await sleep(POLL_MS)
        node.catchUp()
      }
      const outcome = node.history.transaction(transaction.hash)?.meta.TransactionResult
      if (outcome !== 'tesSUCCESS') throw new Error(`${transaction.hash} failed: ${outcome}`)
      return transaction.hash
    },
  }
}
