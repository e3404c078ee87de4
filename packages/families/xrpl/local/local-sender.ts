// Signs and sends transactions of one key inside the process: for the faucet and for tests.
import { setTimeout as sleep } from 'node:timers/promises'
import { encode, encodeForSigning, type Transaction } from 'xrpl'
import { localKey } from './account-keys.ts'
import type { Submission, XrplNode } from './chain/node.ts'
import type { Fields } from './ledger/metadata.ts'
import { accountOf } from './ledger/view.ts'
import { minFee } from './transactions/apply.ts'
import { readTransaction, type SignedTransaction } from './transactions/signed-transaction.ts'
import { isTransactionType } from './transactions/templates.ts'

export interface LocalSender {
  readonly address: string
  sign(fields: Fields): SignedTransaction
  send(fields: Fields): Submission & { readonly transaction: SignedTransaction }
  confirm(fields: Fields): Promise<string>
}

/** A transaction may wait for this many ledgers. */
const LEDGERS_LEFT = 20
const POLL_MS = 50

/** `privateKey` has 32 bytes of ed25519 in hex. */
export function createLocalSender(node: XrplNode, privateKey: string): LocalSender {
  const { address, publicKey, sign: signMessage } = localKey(privateKey)

  function sign(fields: Fields): SignedTransaction {
    const unsigned = { ...fields, SigningPubKey: publicKey } as unknown as Transaction
    return readTransaction(encode({ ...unsigned, TxnSignature: signMessage(encodeForSigning(unsigned)) }))
  }

  function send(fields: Fields): Submission & { readonly transaction: SignedTransaction } {
    const { view, rules } = node.open()
    const { TransactionType: type } = fields
    const transaction = sign({
      Account: address,
      Sequence: accountOf(view, address)?.Sequence ?? 0,
      LastLedgerSequence: rules.ledgerIndex + LEDGERS_LEFT,
      Fee: isTransactionType(type) ? String(minFee({ type, json: fields }, node.openLedgerFee())) : '0',
      ...fields,
    })
    return { ...node.submit(transaction), transaction }
  }

  return {
    address,
    sign,
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
