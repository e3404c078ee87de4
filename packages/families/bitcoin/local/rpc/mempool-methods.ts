// Answers the JSON-RPC methods about unconfirmed transactions.
import { btc, type JsonValue } from '../http/json.ts'
import type { Mempool, MempoolEntry } from '../mempool/mempool.ts'
import { outpointKey, type Transaction } from '../transaction/transaction.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'
import { parseHash, RPC, RpcError, wrongType } from './rpc-params.ts'

const MAX_MEMPOOL_BYTES = 300_000_000
const SIGNALS_REPLACEMENT_BELOW = 0xfffffffe

function total(entries: Iterable<MempoolEntry>): { count: number; vsize: number; feeSats: bigint } {
  const sum = { count: 0, vsize: 0, feeSats: 0n }
  for (const entry of entries) {
    sum.count += 1
    sum.vsize += entry.vsize
    sum.feeSats += entry.feeSats
  }
  return sum
}

/** BIP125: a transaction signals by its own sequences or inherits it from an unconfirmed ancestor. */
function signalsReplacement(transaction: Transaction, mempool: Mempool): boolean {
  const family = [transaction, ...[...mempool.ancestors(transaction).values()].map((entry) => entry.transaction)]
  return family.some(({ inputs }) => inputs.some((input) => input.sequence < SIGNALS_REPLACEMENT_BELOW))
}

function entryView(entry: MempoolEntry, mempool: Mempool): JsonValue {
  const { transaction, feeSats, vsize } = entry
  const ancestors = total([...mempool.ancestors(transaction).values(), entry])
  const descendants = total([...mempool.descendants(transaction.txid).values(), entry])
  return {
    vsize,
    weight: transaction.weight,
    time: entry.time,
    height: entry.height,
    descendantcount: descendants.count,
    descendantsize: descendants.vsize,
    ancestorcount: ancestors.count,
    ancestorsize: ancestors.vsize,
    wtxid: transaction.wtxid,
    fees: {
      base: btc(feeSats),
      modified: btc(feeSats),
      ancestor: btc(ancestors.feeSats),
      descendant: btc(descendants.feeSats),
    },
    depends: mempool.parents(entry).map((parent) => parent.transaction.txid),
    spentby: mempool.children(entry).map((child) => child.transaction.txid),
    'bip125-replaceable': signalsReplacement(transaction, mempool),
    unbroadcast: false,
  }
}

function requireEntry({ node }: RpcContext, txid: string): MempoolEntry {
  const entry = node.mempool.get(txid)
  if (entry === undefined) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool')
  return entry
}

function mempoolInfo({ node }: RpcContext): JsonValue {
  const sum = total(node.mempool.entries.values())
  return {
    loaded: true,
    size: sum.count,
    bytes: sum.vsize,
    usage: sum.vsize,
    total_fee: btc(sum.feeSats),
    maxmempool: MAX_MEMPOOL_BYTES,
    mempoolminfee: btc(node.minRelaySatsPerKvb),
    minrelaytxfee: btc(node.minRelaySatsPerKvb),
    incrementalrelayfee: btc(node.minRelaySatsPerKvb),
    unbroadcastcount: 0,
    fullrbf: node.network.relay.replaces,
  }
}

function spendingPrevout(value: unknown, { node }: RpcContext): JsonValue {
  if (typeof value !== 'object' || value === null || !('txid' in value) || !('vout' in value)) throw wrongType(value, 'object')
  const txid = parseHash(value.txid, 'txid')
  if (typeof value.vout !== 'number') throw wrongType(value.vout, 'number')
  if (value.vout < 0) throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter, vout cannot be negative')
  return { txid, vout: value.vout, spendingtxid: node.mempool.spenderOf(outpointKey(txid, value.vout))?.txid }
}

export const mempoolMethods: RpcMethods = {
  getmempoolinfo: { parameters: [], run: (_, context) => mempoolInfo(context) },
  getrawmempool: {
    parameters: ['verbose', 'mempool_sequence'],
    run(params, { node }) {
      const { mempool } = node
      if (!params.boolean('verbose', false)) return [...mempool.entries.keys()]
      return Object.fromEntries([...mempool.entries].map(([txid, entry]) => [txid, entryView(entry, mempool)]))
    },
  },
  getmempoolentry: {
    parameters: ['txid'],
    run: (params, context) => entryView(requireEntry(context, params.hash('txid')), context.node.mempool),
  },
  getmempoolancestors: {
    parameters: ['txid'],
    run: (params, context) => [...context.node.mempool.ancestors(requireEntry(context, params.hash('txid')).transaction).keys()],
  },
  getmempooldescendants: {
    parameters: ['txid'],
    run: (params, context) => [...context.node.mempool.descendants(requireEntry(context, params.hash('txid')).transaction.txid).keys()],
  },
  gettxspendingprevout: {
    parameters: ['outputs'],
    run: (params, context) => params.list('outputs').map((output) => spendingPrevout(output, context)),
  },
}
