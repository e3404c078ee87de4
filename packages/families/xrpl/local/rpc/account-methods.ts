// Answers the methods about an account: its state, its objects and its transactions.
import { accountFlags, accountKey, type Entry } from '../ledger/entries.ts'
import type { Fields } from '../ledger/metadata.ts'
import { accountOf, directoryOf } from '../ledger/view.ts'
import type { Context, Methods } from './context.ts'
import { accountParam, ledgerParam, limitParam, numberParam } from './params.ts'
import { RpcError } from './rpc-error.ts'
import { listedTransaction } from './transaction-json.ts'

/** Requests use these names of types. */
const entryTypes: Readonly<Record<string, Entry['LedgerEntryType']>> = {
  escrow: 'Escrow',
  ticket: 'Ticket',
  deposit_preauth: 'DepositPreauth',
}

export function accountMethods({ node, kept }: Context): Methods {
  const { history } = node

  return {
    account_info(request) {
      const account = accountParam(request)
      const { state, named } = ledgerParam(node, kept.has, request)
      const root = accountOf(state, account)
      if (root === undefined) throw new RpcError('actNotFound', { account, ...named })
      const has = (flag: number) => (root.Flags & flag) !== 0
      return {
        account_data: { ...root, index: accountKey(account) },
        account_flags: {
          depositAuth: has(accountFlags.depositAuth),
          disableMasterKey: has(accountFlags.disableMaster),
          disallowIncomingXRP: has(accountFlags.disallowXrp),
          requireDestinationTag: has(accountFlags.requireDestTag),
        },
        ...named,
      }
    },
    account_objects(request) {
      const account = accountParam(request)
      const { state, named } = ledgerParam(node, kept.has, request)
      if (accountOf(state, account) === undefined) throw new RpcError('actNotFound', { account })
      const type = typeof request.type === 'string' ? entryTypes[request.type] : undefined
      if (request.type !== undefined && type === undefined) throw new RpcError('invalidParams', { error_message: "Invalid field 'type'." })
      const keys = directoryOf(state, account)?.Indexes ?? []
      const from = objectMarker(request.marker, keys)
      const limit = limitParam(request)
      const page = keys.slice(from, from + limit)
      const objects = page.flatMap((key) => {
        const entry = state.get(key)
        return entry && (type === undefined || entry.LedgerEntryType === type) ? [{ ...entry, index: key }] : []
      })
      const next = keys[from + limit]
      return { account, account_objects: objects, limit, ...(next !== undefined && { marker: `${next},0` }), ...named }
    },
    /** There are no currencies but XRP. */
    account_lines(request) {
      const account = accountParam(request)
      const { state, named } = ledgerParam(node, kept.has, request)
      if (accountOf(state, account) === undefined) throw new RpcError('actNotFound', { account })
      return { account, lines: [], ...named }
    },
    account_tx(request, version) {
      const account = accountParam(request)
      const [min, max] = rangeOf(request)
      const [forward, binary] = [request.forward === true, request.binary === true]
      const all = history.ofAccount(account).filter(({ ledgerIndex }) => ledgerIndex >= min && ledgerIndex <= max)
      const ordered = forward ? all : all.toReversed()
      const limit = limitParam(request)
      const from = transactionMarker(request.marker, ordered, forward)
      const next = ordered[from + limit]
      return {
        account,
        ledger_index_min: min,
        ledger_index_max: max,
        limit,
        ...(next !== undefined && { marker: { ledger: next.ledgerIndex, seq: next.meta.TransactionIndex } }),
        transactions: ordered.slice(from, from + limit).flatMap((validated) => {
          const ledger = history.at(validated.ledgerIndex)
          return ledger ? [listedTransaction(ledger, validated, version, binary)] : []
        }),
        validated: true,
      }

      /** Only ledgers since the last hole are searched (rippled, LedgerMaster::getFullValidatedRange). */
      function rangeOf({ ledger_index: index, ledger_hash: hash }: Fields): readonly [number, number] {
        const [first, last] = [kept.first(), history.tip().index]
        if (index !== undefined || hash !== undefined) {
          const { closed } = ledgerParam(node, kept.has, request)
          if (closed === null) throw new RpcError('lgrNotFound')
          return [closed.index, closed.index]
        }
        const [askedMin, askedMax] = [numberParam(request, 'ledger_index_min') ?? -1, numberParam(request, 'ledger_index_max') ?? -1]
        if (version === 2 && ((askedMin > 0 && askedMin < first) || askedMax > last)) throw new RpcError('lgrIdxMalformed')
        const range = [Math.max(askedMin, first), askedMax < 0 ? last : Math.min(askedMax, last)] as const
        if (range[1] < range[0]) throw new RpcError(version === 1 ? 'lgrIdxsInvalid' : 'invalidLgrRange')
        return range
      }
    },
  }
}

function objectMarker(marker: unknown, keys: readonly string[]): number {
  if (marker === undefined) return 0
  const at = typeof marker === 'string' ? keys.indexOf(marker.split(',')[0] ?? '') : -1
  if (at < 0) throw new RpcError('invalidParams', { error_message: "Invalid field 'marker'." })
  return at
}

type Place = { readonly ledgerIndex: number; readonly meta: { readonly TransactionIndex: number } }

/** The result is the first transaction at or after the marker. */
function transactionMarker(marker: unknown, ordered: readonly Place[], forward: boolean): number {
  if (marker === undefined) return 0
  const { ledger, seq } = (typeof marker === 'object' && marker !== null ? marker : {}) as Fields
  if (typeof ledger !== 'number' || typeof seq !== 'number')
    throw new RpcError('invalidParams', { error_message: "Invalid field 'marker'." })
  const difference = ({ ledgerIndex, meta }: Place) => ledgerIndex - ledger || meta.TransactionIndex - seq
  const at = ordered.findIndex((place) => (forward ? difference(place) >= 0 : difference(place) <= 0))
  return at < 0 ? ordered.length : at
}
