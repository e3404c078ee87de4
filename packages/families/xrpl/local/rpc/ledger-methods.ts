// Answers the methods about ledgers and their entries.
import { CLOSE_RESOLUTION, isoTime } from '../ledger/close-time.ts'
import { accountKey, depositPreauthKey, escrowKey, ticketKey } from '../ledger/entries.ts'
import type { Ledger } from '../ledger/history.ts'
import type { Fields } from '../ledger/metadata.ts'
import type { ApiVersion, Context, Methods } from './context.ts'
import { accountParam, hashParam, ledgerParam, numberParam } from './params.ts'
import { RpcError } from './rpc-error.ts'
import { transactionOfLedger } from './transaction-json.ts'

export function ledgerMethods({ node, kept }: Context): Methods {
  return {
    ledger(request, version) {
      const chosen = ledgerParam(node, kept.has, request)
      if (chosen.closed === null) {
        const { ledgerIndex } = chosen.open.rules
        const ledger = { closed: false, ledger_index: indexJson(ledgerIndex, version), parent_hash: node.history.tip().hash }
        return { ledger, ...chosen.named }
      }
      const { closed, named } = chosen
      const expanded = request.expand === true
      const binary = request.binary === true
      const transactions = closed.transactions.map((validated) =>
        expanded ? transactionOfLedger(closed, validated, version, binary) : validated.transaction.hash,
      )
      return { ledger: { ...headerJson(closed, version), ...(request.transactions === true && { transactions }) }, ...named }
    },
    ledger_closed: () => ({ ledger_hash: node.history.tip().hash, ledger_index: node.history.tip().index }),
    ledger_current: () => ({ ledger_current_index: node.open().rules.ledgerIndex }),
    ledger_entry(request) {
      const key = entryKey(request)
      const { state, named } = ledgerParam(node, kept.has, request)
      const entry = state.get(key)
      if (entry === undefined) throw new RpcError('entryNotFound', { index: key, ...named })
      return { index: key, node: { ...entry, index: key }, ...named }
    },
  }
}

function headerJson(ledger: Ledger, version: ApiVersion): Fields {
  return {
    account_hash: ledger.accountHash,
    close_flags: 0,
    close_time: ledger.closeTime,
    close_time_human: `${isoTime(ledger.closeTime)} UTC`,
    close_time_iso: isoTime(ledger.closeTime),
    close_time_resolution: CLOSE_RESOLUTION,
    closed: true,
    ledger_hash: ledger.hash,
    ledger_index: indexJson(ledger.index, version),
    parent_close_time: ledger.parentCloseTime,
    parent_hash: ledger.parentHash,
    total_coins: String(ledger.totalCoins),
    transaction_hash: ledger.transactionHash,
  }
}

/** Version 1 writes the index of a ledger as text. */
const indexJson = (index: number, version: ApiVersion) => (version === 1 ? String(index) : index)

function entryKey(request: Fields): string {
  const { index, account_root: root, escrow, ticket, deposit_preauth: preauth } = request
  if (index !== undefined) return hashParam(request, 'index')
  if (root !== undefined) return accountKey(accountParam(request, 'account_root'))
  const named = escrow ?? ticket ?? preauth
  if (typeof named === 'string') return hashParam({ named }, 'named')
  if (typeof named !== 'object' || named === null)
    throw new RpcError('invalidParams', { error_message: 'No ledger_entry params provided.' })
  const fields = named as Fields
  if (escrow !== undefined) return escrowKey(accountParam(fields, 'owner'), required(fields, 'seq'))
  if (ticket !== undefined) return ticketKey(accountParam(fields), required(fields, 'ticket_seq'))
  return depositPreauthKey(accountParam(fields, 'owner'), accountParam(fields, 'authorized'))
}

function required(fields: Fields, name: string): number {
  const value = numberParam(fields, name)
  if (value === undefined) throw new RpcError('invalidParams', { error_message: `Missing field '${name}'.` })
  return value
}
