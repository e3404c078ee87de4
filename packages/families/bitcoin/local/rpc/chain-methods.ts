// Answers the JSON-RPC methods about blocks, the chain and its coins.
import { decodeAddress } from '../address.ts'
import { serializeBlock, serializeHeader } from '../chain/block.ts'
import { scriptHashOf } from '../chain/chain-index.ts'
import { difficultyOf, targetOf } from '../chain/proof-of-work.ts'
import { btc, type JsonValue } from '../http/json.ts'
import { parseWitnessProgram } from '../script/standard-scripts.ts'
import { outpointKey } from '../transaction/transaction.ts'
import { toHex } from '../wire/bytes.ts'
import { blockView, headerView, hex256 } from './block-view.ts'
import { describeScript, parseDescriptor } from './descriptor.ts'
import { type RpcContext, type RpcMethods, requireBlock } from './rpc-method.ts'
import { RPC, RpcError, wrongType } from './rpc-params.ts'
import { scriptView } from './transaction-view.ts'

function blockchainInfo({ node }: RpcContext): JsonValue {
  const tip = node.chain.tip()
  const { header, hash } = tip.block
  return {
    chain: node.network.chain,
    blocks: tip.height,
    headers: tip.height,
    bestblockhash: hash,
    bits: header.bits.toString(16).padStart(8, '0'),
    target: hex256(targetOf(header.bits)),
    difficulty: difficultyOf(header.bits),
    time: header.time,
    mediantime: tip.medianTimePast,
    verificationprogress: 1,
    initialblockdownload: false,
    chainwork: hex256(tip.chainWork),
    size_on_disk: 0,
    pruned: false,
    warnings: [],
  }
}

function scanObjectScript(value: unknown, { node }: RpcContext): Uint8Array {
  const descriptor = typeof value === 'object' && value !== null && 'desc' in value ? value.desc : value
  if (typeof descriptor !== 'string') throw wrongType(value, 'string')
  const script = parseDescriptor(descriptor, node.network)
  if (script === null) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, `'${descriptor}' is not a valid descriptor function`)
  return script
}

function scanUnspent(objects: readonly unknown[], context: RpcContext): JsonValue {
  const { node } = context
  const tip = node.chain.tip()
  const coins = objects
    .map((object) => scanObjectScript(object, context))
    .flatMap((script) => [...node.index.history(scriptHashOf(script)).coins.values()])
  return {
    success: true,
    txouts: node.chain.coins.size,
    height: tip.height,
    bestblock: tip.block.hash,
    unspents: coins.map((coin) => ({
      txid: coin.txid,
      vout: coin.index,
      scriptPubKey: toHex(coin.script),
      desc: describeScript(coin.script, node.network),
      amount: btc(coin.amount),
      coinbase: node.chain.coins.get(outpointKey(coin.txid, coin.index))?.coinbase ?? false,
      height: coin.node.height,
      blockhash: coin.node.block.hash,
      confirmations: tip.height - coin.node.height + 1,
    })),
    total_amount: btc(coins.reduce((sum, coin) => sum + coin.amount, 0n)),
  }
}

function unspentOutput(context: RpcContext, txid: string, index: number, includeMempool: boolean): JsonValue {
  const { node } = context
  const key = outpointKey(txid, index)
  const coin = includeMempool ? node.findCoin(txid, index) : node.chain.coins.get(key)
  if (coin === undefined || (includeMempool && node.mempool.spenderOf(key) !== undefined)) return null
  const tip = node.chain.tip()
  return {
    bestblock: tip.block.hash,
    confirmations: tip.height - coin.height + 1,
    value: btc(coin.amount),
    scriptPubKey: scriptView(coin.script, node.network),
    coinbase: coin.coinbase,
  }
}

function addressInfo(address: string, { node }: RpcContext): JsonValue {
  const script = decodeAddress(address, node.network)
  if (script === null) return { isvalid: false, error_locations: [], error: 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.' }
  const witness = parseWitnessProgram(script)
  return {
    isvalid: true,
    address,
    scriptPubKey: toHex(script),
    isscript: script.length === 23 || (witness !== null && witness.program.length === 32),
    iswitness: witness !== null,
    witness_version: witness?.version,
    witness_program: witness === null ? undefined : toHex(witness.program),
  }
}

export const chainMethods: RpcMethods = {
  getblockchaininfo: { parameters: [], run: (_, context) => blockchainInfo(context) },
  getblockcount: { parameters: [], run: (_, { node }) => node.chain.tip().height },
  getbestblockhash: { parameters: [], run: (_, { node }) => node.chain.tip().block.hash },
  getblockhash: {
    parameters: ['height'],
    run(params, { node }) {
      const block = node.chain.at(params.integer('height'))
      if (block === undefined) throw new RpcError(RPC.INVALID_PARAMETER, 'Block height out of range')
      return block.block.hash
    },
  },
  getblockheader: {
    parameters: ['blockhash', 'verbose'],
    run(params, { node }) {
      const block = requireBlock(node, params.hash('blockhash'))
      return params.boolean('verbose', true) ? headerView(node, block) : toHex(serializeHeader(block.block.header))
    },
  },
  getblock: {
    parameters: ['blockhash', 'verbosity'],
    run(params, { node }) {
      const block = requireBlock(node, params.hash('blockhash'))
      const verbosity = params.level('verbosity', 1)
      return verbosity <= 0 ? toHex(serializeBlock(block.block)) : blockView(node, block, verbosity)
    },
  },
  getchaintips: {
    parameters: [],
    run: (_, { node }) =>
      [...node.chain.nodes()]
        .filter((block) => block.children.length === 0 || block === node.chain.tip())
        .map((block) => {
          let fork = block
          while (!node.chain.isActive(fork) && fork.previous !== null) fork = fork.previous
          const status = node.chain.isActive(block) ? 'active' : block.failed ? 'invalid' : 'valid-fork'
          return { height: block.height, hash: block.block.hash, branchlen: block.height - fork.height, status }
        }),
  },
  gettxout: {
    parameters: ['txid', 'n', 'include_mempool'],
    run: (params, context) => unspentOutput(context, params.hash('txid'), params.integer('n'), params.boolean('include_mempool', true)),
  },
  scantxoutset: {
    parameters: ['action', 'scanobjects'],
    run(params, context) {
      const action = params.text('action')
      // A scan is over when it is answered, so there is never one to ask about or to stop.
      if (action === 'status') return null
      if (action === 'abort') return false
      if (action !== 'start') throw new RpcError(RPC.INVALID_PARAMETER, `Invalid action '${action}'`)
      return scanUnspent(params.list('scanobjects'), context)
    },
  },
  waitfornewblock: {
    parameters: ['timeout'],
    // The server has waited already.
    run(_, { node }) {
      const { block, height } = node.chain.tip()
      return { hash: block.hash, height }
    },
  },
  validateaddress: { parameters: ['address'], run: (params, context) => addressInfo(params.text('address'), context) },
}
