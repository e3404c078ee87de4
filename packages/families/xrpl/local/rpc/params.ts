// Reads the parameters of requests.
import { isValidClassicAddress } from 'xrpl'
import type { XrplNode } from '../chain/node.ts'
import type { OpenLedger } from '../chain/open-ledger.ts'
import type { Ledger } from '../ledger/history.ts'
import type { Fields } from '../ledger/metadata.ts'
import type { Reader } from '../ledger/view.ts'
import { RpcError } from './rpc-error.ts'

export function accountParam(request: Fields, name = 'account'): string {
  const account = request[name]
  if (account === undefined) throw new RpcError('invalidParams', { error_message: `Missing field '${name}'.` })
  if (typeof account !== 'string' || !isValidClassicAddress(account)) throw new RpcError('actMalformed')
  return account
}

export function numberParam(request: Fields, name: string): number | undefined {
  const value = request[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new RpcError('invalidParams', { error_message: `Invalid field '${name}'.` })
  return value
}

export function hashParam(request: Fields, name: string): string {
  const value = request[name]
  if (typeof value !== 'string' || !/^[0-9A-Fa-f]{64}$/.test(value))
    throw new RpcError('invalidParams', { error_message: `Invalid field '${name}'.` })
  return value.toUpperCase()
}

export function limitParam(request: Fields): number {
  return Math.min(Math.max(numberParam(request, 'limit') ?? 200, 10), 400)
}

export type ChosenLedger = {
  readonly state: Reader
  readonly named: Fields
} & ({ readonly closed: Ledger; readonly open: null } | { readonly closed: null; readonly open: OpenLedger })

export function ledgerParam(node: XrplNode, isKept: (index: number) => boolean, request: Fields): ChosenLedger {
  const { ledger_index: index = 'current', ledger_hash: hash } = request
  if (hash !== undefined) return closedLedger(node, node.history.byHash(hashParam(request, 'ledger_hash')), isKept)
  if (index === 'current') {
    const open = node.open()
    return { state: open.view, open, closed: null, named: { ledger_current_index: open.rules.ledgerIndex, validated: false } }
  }
  if (index === 'validated' || index === 'closed') return closedLedger(node, node.history.tip(), isKept)
  const number = typeof index === 'string' && /^[0-9]+$/.test(index) ? Number(index) : index
  if (typeof number !== 'number' || !Number.isInteger(number))
    throw new RpcError('invalidParams', { error_message: "Invalid field 'ledger_index', not string or number." })
  return closedLedger(node, node.history.at(number), isKept)
}

function closedLedger(node: XrplNode, ledger: Ledger | undefined, isKept: (index: number) => boolean): ChosenLedger {
  const state = ledger && isKept(ledger.index) ? node.history.stateAt(ledger.index) : undefined
  if (ledger === undefined || state === undefined) throw new RpcError('lgrNotFound')
  return { state, closed: ledger, open: null, named: { ledger_hash: ledger.hash, ledger_index: ledger.index, validated: true } }
}
