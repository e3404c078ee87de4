// Takes transactions and finds them.
import type { Fields } from '../ledger/metadata.ts'
import { accountOf } from '../ledger/view.ts'
import { resultNumber, resultText } from '../transactions/result-codes.ts'
import { FailsLocalChecks, readTransaction, type SignedTransaction } from '../transactions/signed-transaction.ts'
import type { Context, Methods } from './context.ts'
import { hashParam, numberParam } from './params.ts'
import { RpcError } from './rpc-error.ts'
import { foundTransaction, transactionJson } from './transaction-json.ts'

export function transactionMethods({ node, kept }: Context): Methods {
  const { history } = node

  return {
    submit(request, version) {
      const { tx_blob: blob } = request
      // Only nodes that one trusts with the key sign for clients.
      if (typeof blob !== 'string') throw new RpcError('invalidParams', { error_message: "Missing field 'tx_blob'." })
      const transaction = readBlob(blob)
      const { result, isApplied, isQueued, isKept } = node.submit(transaction, { failHard: request.fail_hard === true })
      return {
        accepted: isApplied || isKept,
        account_sequence_available: nextSequence(transaction),
        account_sequence_next: accountOf(node.open().view, transaction.account)?.Sequence ?? 0,
        applied: isApplied,
        broadcast: isApplied || isKept,
        engine_result: result,
        engine_result_code: resultNumber(result),
        engine_result_message: resultText(result),
        kept: isKept,
        open_ledger_cost: String(node.openLedgerFee()),
        queued: isQueued,
        tx_blob: transaction.blob,
        tx_json: { ...transactionJson(transaction, version), hash: transaction.hash },
        validated_ledger_index: history.tip().index,
      }
    },
    tx(request, version) {
      const hash = hashParam(request, 'transaction')
      const binary = request.binary === true
      const validated = history.transaction(hash)
      const ledger = validated && history.at(validated.ledgerIndex)
      if (validated !== undefined && ledger !== undefined && kept.has(ledger.index))
        return foundTransaction(ledger, validated, version, binary)
      const waiting = node.open().transactions.find(({ transaction }) => transaction.hash === hash)?.transaction ?? node.queue.find(hash)
      if (waiting !== undefined) return unvalidated(waiting)
      throw new RpcError('txnNotFound', searchedAll(request))

      function unvalidated(transaction: SignedTransaction): Fields {
        const json = transactionJson(transaction, version)
        if (version === 1) return { ...(binary ? { tx: transaction.blob } : json), hash, validated: false }
        return { ...(binary ? { tx_blob: transaction.blob } : { tx_json: json }), hash, validated: false }
      }
    },
  }

  function nextSequence({ account }: SignedTransaction): number {
    const waiting = node.queue.all().filter((other) => other.account === account && !other.isTicket)
    return Math.max(accountOf(node.open().view, account)?.Sequence ?? 0, ...waiting.map(({ sequence }) => sequence + 1))
  }

  function searchedAll(request: Fields): Fields {
    const [min, max] = [numberParam(request, 'min_ledger'), numberParam(request, 'max_ledger')]
    if (min === undefined || max === undefined) return {}
    const tip = history.tip().index
    return { searched_all: min >= kept.first() && max <= tip }
  }
}

function readBlob(blob: string): SignedTransaction {
  try {
    return readTransaction(blob)
  } catch (error) {
    if (error instanceof FailsLocalChecks) throw new RpcError('invalidTransaction', { error_exception: error.message })
    throw error
  }
}
