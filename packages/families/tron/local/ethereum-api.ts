// Offers the Ethereum-like JSON-RPC of a Tron node: the Ethereum methods that it supports, with Tron's block and transaction ids.

import { EdrRequestError } from '@tandem/evm/local/edr-provider.ts'
import { type Hex, numberToHex } from 'viem'
import { ENERGY_PRICE_SUN, intrinsicGas, type MinedTransaction, type TronNode } from './tron-node.ts'
import type { EvmLog, TronBlock } from './tron-view.ts'

type Method = (params: readonly unknown[]) => Promise<unknown>

const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_000

class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

/** `returnsRevertData` returns the revert data of a call, as java-tron does from 4.8.1 on. */
export function createEthereumApi(node: TronNode, returnsRevertData: boolean): (request: unknown) => Promise<unknown> {
  async function blockBy(tag: unknown): Promise<TronBlock | null> {
    if (tag === 'latest') return node.block('latest')
    if (tag === 'finalized') return node.block('solid')
    if (tag === 'earliest') return node.block(0)
    if (typeof tag === 'string' && /^0x[0-9a-f]+$/i.test(tag)) return node.block(Number(tag))
    throw new RpcError(INVALID_PARAMS, `TAG ${String(tag)} not supported`)
  }

  /** The height is the first eight bytes of the id. */
  async function blockByHash(hash: unknown): Promise<TronBlock | null> {
    if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw new RpcError(INVALID_PARAMS, 'invalid hash value')
    const height = Number(hash.slice(0, 18))
    const block = Number.isSafeInteger(height) ? await node.block(height) : null
    return block?.id === hash.slice(2).toLowerCase() ? block : null
  }

  async function requireLatest(tag: unknown): Promise<void> {
    if (tag !== undefined && tag !== 'latest') throw new RpcError(INVALID_PARAMS, 'QUANTITY not supported, just support TAG as latest')
  }

  async function run(method: string, call: unknown): Promise<Hex> {
    try {
      return (await node.evm(method, [call, 'latest'])) as Hex
    } catch (error) {
      if (!(error instanceof EdrRequestError)) throw error
      if (error.data === undefined) throw new RpcError(INTERNAL_ERROR, error.message)
      throw new RpcError(INTERNAL_ERROR, 'REVERT opcode executed', returnsRevertData ? error.data : '{}')
    }
  }

  async function logs(filter: Readonly<Record<string, unknown>>): Promise<unknown> {
    let range = { fromBlock: filter.fromBlock ?? 'latest', toBlock: filter.toBlock ?? 'latest' }
    if (filter.blockHash !== undefined) {
      const block = await blockByHash(filter.blockHash)
      if (block === null) throw new RpcError(INVALID_PARAMS, 'invalid blockHash')
      range = { fromBlock: numberToHex(block.height), toBlock: numberToHex(block.height) }
    }
    const found = (await node.evm('eth_getLogs', [{ address: filter.address, topics: filter.topics, ...range }])) as EvmLog[]
    const blocks = new Map<number, TronBlock | null>()
    for (const { blockNumber } of found) blocks.set(Number(blockNumber), await node.block(Number(blockNumber)))
    return found.map((log) => logJson(log, blocks.get(Number(log.blockNumber)), node.idOf(log.transactionHash)))
  }

  async function mined(hash: unknown): Promise<MinedTransaction | null> {
    return node.mined(String(hash).replace(/^0x/, '').toLowerCase())
  }

  const methods: Readonly<Record<string, Method>> = {
    eth_chainId: async () => numberToHex(node.chainId),
    net_version: async () => numberToHex(node.chainId),
    web3_clientVersion: async () => 'TRON/simulator',
    eth_gasPrice: async () => numberToHex(ENERGY_PRICE_SUN),
    eth_blockNumber: async () => numberToHex((await node.block('latest'))?.height ?? 0),
    async eth_getBlockByNumber([tag]) {
      const block = await blockBy(tag)
      return block && blockJson(block)
    },
    async eth_getBlockByHash([hash]) {
      const block = await blockByHash(hash)
      return block && blockJson(block)
    },
    async eth_getBalance([address, tag]) {
      await requireLatest(tag)
      return node.evm('eth_getBalance', [address, 'latest'])
    },
    async eth_getCode([address, tag]) {
      await requireLatest(tag)
      return node.evm('eth_getCode', [address, 'latest'])
    },
    async eth_call([call, tag]) {
      await requireLatest(tag)
      return run('eth_call', call)
    },
    async eth_estimateGas([call]) {
      const data = typeof call === 'object' && call !== null && 'data' in call ? (call.data as Hex) : '0x'
      return numberToHex(BigInt(await run('eth_estimateGas', call)) - intrinsicGas(data))
    },
    // Only the simulator can move the clock and mine, with the method names of local EVM nodes.
    evm_mine: () => node.evm('evm_mine'),
    evm_increaseTime: (params) => node.evm('evm_increaseTime', params),
    eth_getLogs: ([filter]) => logs(filter as Record<string, unknown>),
    async eth_getTransactionByHash([hash]) {
      const found = await mined(hash)
      return (
        found && { hash: `0x${found.transaction.id}`, from: found.transaction.owner, to: found.transaction.to, ...placeJson(found.block) }
      )
    },
    async eth_getTransactionReceipt([hash]) {
      const found = await mined(hash)
      if (found === null) return null
      const { transaction, block, result, energy } = found
      return {
        transactionHash: `0x${transaction.id}`,
        from: transaction.owner,
        to: transaction.creation === undefined ? transaction.to : null,
        contractAddress: transaction.creation === undefined ? null : transaction.to,
        ...placeJson(block),
        status: result === 'SUCCESS' ? '0x1' : '0x0',
        gasUsed: numberToHex(energy),
        logs: found.logs.map((log) => logJson(log, block, transaction.id)),
      }
    },
  }

  return async (request) => {
    const { id = null, method = '', params = [] } = request as { id?: unknown; method?: string; params?: readonly unknown[] }
    try {
      const run = methods[method]
      if (run === undefined) throw new RpcError(METHOD_NOT_FOUND, `the method ${method} does not exist/is not available`)
      return { jsonrpc: '2.0', id, result: await run(params) }
    } catch (error) {
      const { code, message, data } =
        error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, error instanceof Error ? error.message : String(error))
      return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
    }
  }
}

function placeJson({ id, height }: TronBlock): object {
  return { blockHash: `0x${id}`, blockNumber: numberToHex(height) }
}

function blockJson({ id, parentId, height, timeMs, transactions }: TronBlock): object {
  return {
    number: numberToHex(height),
    hash: `0x${id}`,
    parentHash: `0x${parentId}`,
    timestamp: numberToHex(timeMs / 1_000),
    baseFeePerGas: '0x0',
    transactions: transactions.map((tx) => `0x${tx}`),
  }
}

function logJson({ address, topics, data, logIndex }: EvmLog, block: TronBlock | null | undefined, id: string | null): object {
  if (block === null || block === undefined || id === null) throw new RpcError(INTERNAL_ERROR, 'a log without a block or a transaction')
  return { address, topics, data, logIndex, removed: false, transactionHash: `0x${id}`, ...placeJson(block) }
}
