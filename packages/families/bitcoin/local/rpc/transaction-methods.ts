// Answers the JSON-RPC methods that show, check and broadcast transactions.

import { broadcast } from '../broadcast.ts'
import type { BlockNode } from '../chain/block-node.ts'
import { btc, type JsonValue } from '../http/json.ts'
import { type Evaluation, MISSING_INPUTS } from '../mempool/evaluate-transaction.ts'
import { isUnspendable } from '../script/standard-scripts.ts'
import { outpointKey, parseTransaction, type Transaction } from '../transaction/transaction.ts'
import { fromHex, isHex, MalformedDataError, toHex } from '../wire/bytes.ts'
import { confirmationsOf } from './block-view.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'
import { RPC, RpcError, type RpcParams, wrongType } from './rpc-params.ts'
import { transactionView } from './transaction-view.ts'

const DECODE_FAILED = 'TX decode failed. Make sure the tx has at least one input.'
const NOT_FOUND = 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.'

function decode(raw: unknown, failure = DECODE_FAILED): Transaction {
  if (typeof raw !== 'string') throw wrongType(raw, 'string')
  if (!isHex(raw)) throw new RpcError(RPC.DESERIALIZATION, failure)
  try {
    return parseTransaction(fromHex(raw))
  } catch (error) {
    if (error instanceof MalformedDataError) throw new RpcError(RPC.DESERIALIZATION, failure)
    throw error
  }
}

type Found = { readonly transaction: Transaction; readonly block: BlockNode | null; readonly position: number }

function find({ node }: RpcContext, txid: string, blockHash: string | null): Found {
  if (blockHash !== null) {
    const block = node.chain.find(blockHash)
    if (block === undefined) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Block hash not found')
    const position = block.block.transactions.findIndex((transaction) => transaction.txid === txid)
    const transaction = block.block.transactions[position]
    if (transaction === undefined)
      throw new RpcError(
        RPC.INVALID_ADDRESS_OR_KEY,
        'No such transaction found in the provided block. Use gettransaction for wallet transactions.',
      )
    return { transaction, block, position }
  }
  const pending = node.mempool.get(txid)
  if (pending !== undefined) return { transaction: pending.transaction, block: null, position: 0 }
  const location = node.index.transaction(txid)
  if (location === undefined) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, NOT_FOUND)
  return { transaction: location.transaction, block: location.node, position: location.position }
}

function rawTransaction(params: RpcParams, context: RpcContext): JsonValue {
  const { node } = context
  const verbosity = params.level('verbosity', 0)
  const blockHash = params.optional('blockhash') === undefined ? null : params.hash('blockhash')
  const { transaction, block, position } = find(context, params.hash('txid'), blockHash)
  if (verbosity <= 0) return toHex(transaction.raw)
  // The spent outputs come from the undo data of a block, so an unconfirmed transaction is shown without them.
  const spent = verbosity >= 2 && position > 0 ? block?.undo?.[position] : undefined
  const view = transactionView(transaction, { network: node.network, spent, showPrevouts: true })
  const confirmations = block === null ? 0 : confirmationsOf(node, block)
  return {
    in_active_chain: blockHash === null || block === null ? undefined : node.chain.isActive(block),
    ...view,
    hex: toHex(transaction.raw),
    blockhash: block?.block.hash,
    ...(block === null ? {} : { confirmations: Math.max(confirmations, 0) }),
    ...(confirmations > 0 && block !== null ? { time: block.block.header.time, blocktime: block.block.header.time } : {}),
  }
}

function send(params: RpcParams, { node, faults }: RpcContext): JsonValue {
  const transaction = decode(params.text('hexstring'))
  checkBurn(transaction, params.optional('maxburnamount'))
  if (transaction.outputs.some((_, index) => node.chain.coins.has(outpointKey(transaction.txid, index))))
    throw new RpcError(RPC.ALREADY_IN_UTXO_SET, 'Transaction outputs already in utxo set')
  const refusal = broadcast(node, faults, transaction, (evaluation) => {
    if (evaluation.refusal !== null) return
    const limit = maxFeeSats(params.optional('maxfeerate'), evaluation.entry.vsize)
    if (limit !== null && evaluation.entry.feeSats > limit)
      throw new RpcError(RPC.VERIFY, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)')
  })
  if (refusal === MISSING_INPUTS) throw new RpcError(RPC.VERIFY, refusal)
  if (refusal !== null) throw new RpcError(RPC.VERIFY_REJECTED, refusal)
  return transaction.txid
}

function verdictView(transaction: Transaction, evaluation: Evaluation, maxFeeRate: unknown): JsonValue {
  const { txid, wtxid } = transaction
  if (evaluation.refusal !== null) {
    const reason = evaluation.refusal === MISSING_INPUTS ? 'missing-inputs' : evaluation.refusal
    return { txid, wtxid, allowed: false, 'reject-reason': reason, 'reject-details': reason }
  }
  const { vsize, feeSats } = evaluation.entry
  const limit = maxFeeSats(maxFeeRate, vsize)
  if (limit !== null && feeSats > limit) return { txid, wtxid, allowed: false, 'reject-reason': 'max-fee-exceeded' }
  // Bitcoin Core rounds fee rates down, too.
  const rate = (feeSats * 1_000n) / BigInt(vsize)
  return { txid, wtxid, allowed: true, vsize, fees: { base: btc(feeSats), 'effective-feerate': btc(rate), 'effective-includes': [wtxid] } }
}

function testAccept(params: RpcParams, { node }: RpcContext): JsonValue {
  const [raw, ...more] = params.list('rawtxs')
  if (more.length > 0 || raw === undefined) throw new RpcError(RPC.INVALID_PARAMETER, 'This node checks exactly one transaction at a time.')
  const transaction = decode(raw, `TX decode failed: ${String(raw)} Make sure the tx has at least one input.`)
  return [verdictView(transaction, node.evaluate(transaction), params.optional('maxfeerate'))]
}

export const transactionMethods: RpcMethods = {
  getrawtransaction: { parameters: ['txid', 'verbosity', 'blockhash'], run: rawTransaction },
  decoderawtransaction: {
    parameters: ['hexstring', 'iswitness'],
    run: (params, { node }) => transactionView(decode(params.text('hexstring'), 'TX decode failed'), { network: node.network }),
  },
  sendrawtransaction: { parameters: ['hexstring', 'maxfeerate', 'maxburnamount'], run: send },
  testmempoolaccept: { parameters: ['rawtxs', 'maxfeerate'], run: testAccept },
}

const DEFAULT_MAX_FEE_SATS_PER_KVB = 10_000_000n
const SATS_PER_BTC_DIGITS = 8

/** The amount is in BTC, and is read digit by digit. */
function parseBtc(value: unknown): bigint {
  if (typeof value !== 'number' && typeof value !== 'string') throw wrongType(value, 'number')
  // JavaScript prints small numbers with an exponent; eight decimals are all that an amount can have.
  const text = typeof value === 'number' && value < 1e-6 ? value.toFixed(SATS_PER_BTC_DIGITS) : String(value)
  const match = /^(\d+)(?:\.(\d{1,8}))?$/.exec(text)
  if (match === null) throw new RpcError(RPC.TYPE, 'Invalid amount')
  return BigInt((match[1] ?? '0') + (match[2] ?? '').padEnd(SATS_PER_BTC_DIGITS, '0'))
}

function maxFeeSats(maxFeeRate: unknown, vsize: number): bigint | null {
  const satsPerKvb = maxFeeRate === undefined ? DEFAULT_MAX_FEE_SATS_PER_KVB : parseBtc(maxFeeRate)
  return satsPerKvb === 0n ? null : (satsPerKvb * BigInt(vsize)) / 1_000n
}

function checkBurn(transaction: Transaction, maxBurn: unknown): void {
  const limit = maxBurn === undefined ? 0n : parseBtc(maxBurn)
  if (transaction.outputs.some(({ script, amount }) => isUnspendable(script) && amount > limit))
    throw new RpcError(RPC.VERIFY, 'Unspendable output exceeds maximum configured by user (maxburnamount)')
}
