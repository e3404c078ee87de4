// Answers the JSON-RPC methods that mine, reorganise and describe the node.
import { decodeAddress } from '../address.ts'
import { type Block, parseBlock } from '../chain/block.ts'
import { btc, type JsonValue } from '../http/json.ts'
import { MalformedDataError } from '../wire/bytes.ts'
import { type RpcContext, type RpcMethods, requireBlock } from './rpc-method.ts'
import { RPC, RpcError, type RpcParams } from './rpc-params.ts'

function generate(params: RpcParams, { node }: RpcContext): JsonValue {
  const count = params.integer('nblocks')
  const script = decodeAddress(params.text('address'), node.network)
  if (script === null) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address')
  return Array.from({ length: count }, () => node.mine(script).block.hash)
}

function decodeBlock(bytes: Uint8Array): Block {
  try {
    return parseBlock(bytes)
  } catch (error) {
    if (error instanceof MalformedDataError) throw new RpcError(RPC.DESERIALIZATION, 'Block decode failed')
    throw error
  }
}

function networkInfo({ node }: RpcContext): JsonValue {
  const { version, protocolVersion, subversion } = node.network.rpc
  return {
    version,
    subversion,
    protocolversion: protocolVersion,
    localservices: '0000000000000000',
    localservicesnames: [],
    localrelay: true,
    timeoffset: 0,
    networkactive: false,
    connections: 0,
    connections_in: 0,
    connections_out: 0,
    networks: [],
    relayfee: btc(node.minRelaySatsPerKvb),
    incrementalfee: btc(node.minRelaySatsPerKvb),
    localaddresses: [],
    warnings: ['This is a simulator of a Bitcoin node: it validates for real but has no peers.'],
  }
}

function estimate(params: RpcParams, { estimatedSatsPerKvb }: RpcContext): JsonValue {
  const target = params.integer('conf_target')
  if (target < 1 || target > 1_008) throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid conf_target, must be between 1 and 1008')
  if (estimatedSatsPerKvb === null) return { errors: ['Insufficient data or no feerate found'], blocks: 0 }
  return { feerate: btc(estimatedSatsPerKvb), blocks: Math.max(target, 2) }
}

export const controlMethods: RpcMethods = {
  getnetworkinfo: { parameters: [], run: (_, context) => networkInfo(context) },
  uptime: { parameters: [], run: (_, { node, startedAtSeconds }) => node.nowSeconds() - startedAtSeconds },
  estimatesmartfee: { parameters: ['conf_target', 'estimate_mode'], run: estimate },
  generatetoaddress: { parameters: ['nblocks', 'address', 'maxtries'], run: generate },
  submitblock: {
    parameters: ['hexdata', 'dummy'],
    run: (params, { node }) => node.submitBlock(decodeBlock(params.bytes('hexdata', 'Block decode failed'))),
  },
  invalidateblock: {
    parameters: ['blockhash'],
    run(params, { node }) {
      const block = requireBlock(node, params.hash('blockhash'))
      if (block.previous === null) throw new RpcError(RPC.INVALID_PARAMETER, 'The genesis block cannot be invalidated')
      node.invalidate(block)
      return null
    },
  },
  reconsiderblock: {
    parameters: ['blockhash'],
    run(params, { node }) {
      node.reconsider(requireBlock(node, params.hash('blockhash')))
      return null
    },
  },
}
