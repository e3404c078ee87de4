// Serves the node in the format of the Esplora HTTP interface.
import { decodeAddress } from '../address.ts'
import { broadcast } from '../broadcast.ts'
import { serializeBlock, serializeHeader } from '../chain/block.ts'
import type { BlockNode } from '../chain/block-node.ts'
import { scriptHashOf } from '../chain/chain-index.ts'
import { merkleBranch } from '../chain/merkle.ts'
import type { FaultState } from '../http/faults.ts'
import type { HttpRequest, HttpResponse } from '../http/http-server.ts'
import { decimal, type JsonValue, stringifyJson } from '../http/json.ts'
import { MISSING_INPUTS } from '../mempool/evaluate-transaction.ts'
import type { BitcoinNode } from '../node.ts'
import { parseTransaction, type Transaction } from '../transaction/transaction.ts'
import { fromDisplayHash, fromHex, isHex, MalformedDataError, toDisplayHash, toHex } from '../wire/bytes.ts'
import { blockView, type FoundTransaction, findTransaction, outspendView, statusView, transactionView } from './esplora-views.ts'
import { EsploraError, scriptCoins, scriptSummary, scriptTransactions } from './script-routes.ts'

export type EsploraContext = {
  readonly node: BitcoinNode
  readonly faults: FaultState
  readonly estimatedSatsPerKvb: bigint | null
  readonly maxCoins: number
}

type Answer = { readonly text: string } | { readonly bytes: Uint8Array } | { readonly json: JsonValue }

const BLOCK_PAGE = 25
const BLOCKS_PAGE = 10
const FEE_TARGETS = [...Array.from({ length: 25 }, (_, i) => i + 1), 144, 504, 1008]

function parseIndex(text: string | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw new EsploraError(400, 'Invalid number')
  return Number(text)
}

function parseHash(text: string | undefined): string {
  if (text === undefined || text.length !== 64 || !isHex(text)) throw new EsploraError(400, 'Invalid hex string')
  return text.toLowerCase()
}

function requireBlock(node: BitcoinNode, text: string | undefined): BlockNode {
  const block = node.chain.find(parseHash(text))
  if (block === undefined) throw new EsploraError(404, 'Block not found')
  return block
}

function requireTransaction(node: BitcoinNode, text: string | undefined): FoundTransaction {
  const found = findTransaction(node, parseHash(text))
  if (found === null) throw new EsploraError(404, 'Transaction not found')
  return found
}

function blocksRoute(node: BitcoinNode, [first, second]: readonly string[]): Answer {
  const tip = node.chain.tip()
  if (first === 'tip' && second === 'height') return { text: String(tip.height) }
  if (first === 'tip' && second === 'hash') return { text: tip.block.hash }
  const start = first === undefined ? tip.height : Math.min(parseIndex(first), tip.height)
  const heights = Array.from({ length: Math.min(BLOCKS_PAGE, start + 1) }, (_, i) => start - i)
  return { json: heights.flatMap((height) => node.chain.at(height) ?? []).map(blockView) }
}

function blockRoute(node: BitcoinNode, [hash, part, argument]: readonly string[]): Answer {
  const block = requireBlock(node, hash)
  const { transactions } = block.block
  switch (part) {
    case undefined:
      return { json: blockView(block) }
    case 'header':
      return { text: toHex(serializeHeader(block.block.header)) }
    case 'raw':
      return { bytes: serializeBlock(block.block) }
    case 'status': {
      const active = node.chain.isActive(block)
      if (!active) return { json: { in_best_chain: false } }
      return { json: { in_best_chain: true, height: block.height, next_best: node.chain.at(block.height + 1)?.block.hash ?? null } }
    }
    case 'txids':
      return { json: transactions.map(({ txid }) => txid) }
    case 'txid': {
      const transaction = transactions[parseIndex(argument)]
      if (transaction === undefined) throw new EsploraError(404, 'tx not found')
      return { text: transaction.txid }
    }
    case 'txs': {
      const start = argument === undefined ? 0 : parseIndex(argument)
      if (start % BLOCK_PAGE !== 0) throw new EsploraError(400, 'start index must be a multipication of 25')
      if (start >= transactions.length) throw new EsploraError(404, 'start index out of range')
      const page = transactions.slice(start, start + BLOCK_PAGE)
      return { json: page.map((transaction, i) => transactionView(node, { transaction, block, spent: block.undo?.[start + i] ?? [] })) }
    }
    default:
      throw new EsploraError(404, 'endpoint does not exist')
  }
}

function transactionRoute(node: BitcoinNode, [txid, part, argument]: readonly string[]): Answer {
  const found = requireTransaction(node, txid)
  const { transaction, block } = found
  switch (part) {
    case undefined:
      return { json: transactionView(node, found) }
    case 'hex':
      return { text: toHex(transaction.raw) }
    case 'raw':
      return { bytes: transaction.raw }
    case 'status':
      return { json: statusView(block) }
    case 'merkle-proof': {
      const leaves = block?.block.transactions.map((one) => fromDisplayHash(one.txid)) ?? []
      const pos = block?.block.transactions.findIndex((one) => one.txid === transaction.txid) ?? -1
      if (block === null || pos < 0) throw new EsploraError(404, 'Transaction not found or is unconfirmed')
      return { json: { block_height: block.height, merkle: merkleBranch(leaves, pos).map(toDisplayHash), pos } }
    }
    case 'outspend':
      return { json: outspendView(node, transaction.txid, parseIndex(argument)) }
    case 'outspends':
      return { json: transaction.outputs.map((_, index) => outspendView(node, transaction.txid, index)) }
    default:
      throw new EsploraError(404, 'endpoint does not exist')
  }
}

function scriptRoute(
  { node, maxCoins }: EsploraContext,
  kind: 'address' | 'scripthash',
  [name = '', part, scope, lastSeen]: readonly string[],
): Answer {
  const script = kind === 'address' ? decodeAddress(name, node.network) : null
  if (kind === 'address' && script === null) throw new EsploraError(400, 'Invalid Bitcoin address')
  const subject = { kind, name, scriptHash: script === null ? parseHash(name) : scriptHashOf(script) }
  if (part === undefined) return { json: scriptSummary(node, subject) }
  if (part === 'txs') return { json: scriptTransactions(node, subject, scope, lastSeen) }
  if (part === 'utxo') {
    const coins = scriptCoins(node, subject)
    if (coins.length > maxCoins)
      throw new EsploraError(400, `Too many unspent transaction outputs (>${maxCoins}). Contact support to raise limits.`)
    return { json: coins }
  }
  throw new EsploraError(404, 'endpoint does not exist')
}

function mempoolRoute(node: BitcoinNode, [part]: readonly string[]): Answer {
  const entries = [...node.mempool.entries.values()]
  if (part === 'txids') return { json: entries.map(({ transaction }) => transaction.txid) }
  if (part !== undefined) throw new EsploraError(404, 'endpoint does not exist')
  const vsize = entries.reduce((sum, entry) => sum + entry.vsize, 0)
  const totalFee = entries.reduce((sum, entry) => sum + entry.feeSats, 0n)
  return { json: { count: entries.length, vsize, total_fee: totalFee, fee_histogram: [] } }
}

function feeRoute({ node, estimatedSatsPerKvb }: EsploraContext): Answer {
  const rate = decimal(estimatedSatsPerKvb ?? node.minRelaySatsPerKvb, 3)
  return { json: Object.fromEntries(FEE_TARGETS.map((target) => [String(target), rate])) }
}

function parseBody(body: string): Transaction {
  const text = body.trim()
  if (!isHex(text)) throw new EsploraError(400, 'Invalid hex string')
  try {
    return parseTransaction(fromHex(text))
  } catch (error) {
    if (error instanceof MalformedDataError) throw rejected(-22, 'TX decode failed. Make sure the tx has at least one input.')
    throw error
  }
}

function rejected(code: number, message: string): EsploraError {
  return new EsploraError(400, `sendrawtransaction RPC error: ${JSON.stringify({ code, message })}`)
}

function post({ node, faults }: EsploraContext, body: string): Answer {
  const transaction = parseBody(body)
  if (node.index.transaction(transaction.txid) !== undefined) throw rejected(-27, 'Transaction outputs already in utxo set')
  const refusal = broadcast(node, faults, transaction)
  if (refusal !== null) throw rejected(refusal === MISSING_INPUTS ? -25 : -26, refusal)
  return { text: transaction.txid }
}

function route(context: EsploraContext, { method, path, body }: HttpRequest): Answer {
  const { node } = context
  const [resource, ...rest] = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent)
  if (method === 'POST' && resource === 'tx') return post(context, body)
  if (method !== 'GET') throw new EsploraError(405, 'method not allowed')
  switch (resource) {
    case 'blocks':
      return blocksRoute(node, rest)
    case 'block-height': {
      const block = node.chain.at(parseIndex(rest[0]))
      if (block === undefined) throw new EsploraError(404, 'Block not found')
      return { text: block.block.hash }
    }
    case 'block':
      return blockRoute(node, rest)
    case 'tx':
      return transactionRoute(node, rest)
    case 'address':
    case 'scripthash':
      return scriptRoute(context, resource, rest)
    case 'mempool':
      return mempoolRoute(node, rest)
    case 'fee-estimates':
      return feeRoute(context)
    default:
      throw new EsploraError(404, 'endpoint does not exist')
  }
}

export function createEsploraHandler(context: EsploraContext): (request: HttpRequest) => HttpResponse {
  return (request) => {
    try {
      const answer = route(context, request)
      if ('text' in answer) return { status: 200, contentType: 'text/plain', body: answer.text, anyOrigin: true }
      if ('bytes' in answer) return { status: 200, contentType: 'application/octet-stream', body: answer.bytes, anyOrigin: true }
      return { status: 200, contentType: 'application/json', body: stringifyJson(answer.json), anyOrigin: true }
    } catch (error) {
      if (error instanceof EsploraError) return { status: error.status, contentType: 'text/plain', body: error.message, anyOrigin: true }
      throw error
    }
  }
}
