// Notifies clients of closed ledgers and of validated transactions.
import type { Listener } from '@tandem/chain-kit/local/local-server.ts'
import type { XrplNode } from '../chain/node.ts'
import { isoTime } from '../ledger/close-time.ts'
import type { Ledger, ValidatedTransaction } from '../ledger/history.ts'
import { affectedAccounts, type Fields } from '../ledger/metadata.ts'
import { type ResultCode, resultNumber, resultText } from '../transactions/result-codes.ts'
import type { ApiVersion } from './context.ts'
import type { KeptLedgers } from './kept-ledgers.ts'
import { versionOf } from './methods.ts'
import { accountParam } from './params.ts'
import { RpcError } from './rpc-error.ts'
import { metaJson, transactionJson } from './transaction-json.ts'

export interface Subscriptions {
  answer(listener: Listener, request: Fields): Fields | undefined
  removeAll(listener: Listener): void
  count(): number
}

type Subscribed = { readonly streams: Set<string>; readonly accounts: Set<string>; version: ApiVersion }

const STREAMS = new Set(['ledger', 'transactions'])

export function createSubscriptions(node: XrplNode, kept: KeptLedgers): Subscriptions {
  const listeners = new Map<Listener, Subscribed>()

  node.onLedger((ledger) => {
    for (const [listener, subscribed] of listeners) tell(listener, subscribed, ledger)
  })

  function tell(listener: Listener, { streams, accounts, version }: Subscribed, ledger: Ledger): void {
    if (streams.has('ledger')) send(listener, { type: 'ledgerClosed', ...ledgerJson(ledger), txn_count: ledger.transactions.length })
    for (const validated of ledger.transactions)
      if (streams.has('transactions') || [...affectedAccounts(validated.meta)].some((account) => accounts.has(account)))
        send(listener, newsOf(ledger, validated, version))
  }

  function ledgerJson({ hash, index, closeTime }: Ledger): Fields {
    const { base, reserveBase, reserveIncrement } = node.open().rules.fees
    return {
      fee_base: Number(base),
      ledger_hash: hash,
      ledger_index: index,
      ledger_time: closeTime,
      network_id: node.networkId,
      reserve_base: Number(reserveBase),
      reserve_inc: Number(reserveIncrement),
      validated_ledgers: kept.text(),
    }
  }

  function change(listener: Listener, request: Fields, verb: 'add' | 'delete'): Fields {
    const streams = listOf(request, 'streams')
    for (const stream of streams) if (!STREAMS.has(stream)) throw new RpcError('malformedStream')
    const accounts = listOf(request, 'accounts').map((account) => accountParam({ account }))
    const subscribed = listeners.get(listener) ?? { streams: new Set(), accounts: new Set(), version: 1 }
    subscribed.version = versionOf(request)
    for (const stream of streams) subscribed.streams[verb](stream)
    for (const account of accounts) subscribed.accounts[verb](account)
    if (subscribed.streams.size + subscribed.accounts.size > 0) listeners.set(listener, subscribed)
    else listeners.delete(listener)
    return verb === 'add' && streams.includes('ledger') ? ledgerJson(node.history.tip()) : {}
  }

  return {
    answer(listener, request) {
      if (request.command === 'subscribe') return change(listener, request, 'add')
      if (request.command === 'unsubscribe') return change(listener, request, 'delete')
      return undefined
    },
    removeAll: (listener) => void listeners.delete(listener),
    count: () => listeners.size,
  }
}

function newsOf(ledger: Ledger, { transaction, meta }: ValidatedTransaction, version: ApiVersion): Fields {
  const result = meta.TransactionResult as ResultCode
  const { hash } = transaction
  const json = { ...transactionJson(transaction, version), date: ledger.closeTime }
  return {
    type: 'transaction',
    engine_result: result,
    engine_result_code: resultNumber(result),
    engine_result_message: resultText(result),
    ledger_hash: ledger.hash,
    ledger_index: ledger.index,
    close_time_iso: isoTime(ledger.closeTime),
    meta: metaJson(transaction, meta),
    status: 'closed',
    validated: true,
    ...(version === 1 ? { transaction: { ...json, hash } } : { tx_json: json, hash }),
  }
}

function listOf(request: Fields, name: string): readonly string[] {
  const list = request[name] ?? []
  if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) throw new RpcError('invalidParams')
  return list
}

function send(listener: Listener, json: Fields): void {
  listener.send(JSON.stringify(json))
}
