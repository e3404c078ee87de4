/** Makes the requests that Tandem sends to an EVM node, typed. Every answer is parsed. */

import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { type Address, type Hex, isHex, numberToHex } from 'viem'
import { createLogRanges } from './log-ranges.ts'
import { createRpc, NodeRefusal } from './rpc.ts'

export type NodeBlock = Block & {
  readonly baseFeePerGas: bigint
  /** Some chains charge each byte of changed state at this price beside gas (Citrea). It is 0 on others. */
  readonly l1FeeRate: bigint
}

export type NodeLog = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockHeight: bigint
  readonly blockHash: string
  readonly tx: string
  readonly logIndex: bigint
}

export type NodeCall = {
  readonly from?: Address
  readonly to: Address
  readonly data?: Hex
  readonly value?: bigint
  /** Contracts may read gas and gas price. With a price, nodes check that `from` could pay. */
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  /** These storage slots of `to` count as read already (EIP-2930). Each takes gas. */
  readonly readSlots?: readonly Hex[]
  /** The accounts have this state in the simulation. Some nodes refuse state overrides, others ignore them. */
  readonly overrides?: Readonly<Record<Address, StateOverride>>
}

export type StateOverride = {
  readonly balance?: bigint
  readonly slots?: Readonly<Record<Hex, Hex>>
  readonly code?: Hex
}

export type LogQuery = {
  readonly addresses: readonly Address[]
  readonly events: readonly Hex[]
} /** `lastHash`: that of block `to`. A node that has another block there refuses. */ & (
  | { readonly from: bigint; readonly to: bigint; readonly lastHash?: string }
  /** A node that lacks the block refuses (EIP-234). A range beyond its tip is just empty. */
  | { readonly blockHash: string }
)

/** `logs`, `call`, `callAmount`, `estimateGas`, `priorityFee` and `broadcast` reject with a NodeRefusal that callers read; the others only with `unreachable`. */
export interface EvmNode {
  chainId(): Promise<bigint>
  block(height: bigint | 'latest'): Promise<NodeBlock | null>
  tipHint?(): Promise<NodeBlock>
  /** One request reads all blocks, without heights that the node has not reached. With several providers, all are of one branch. */
  blocks(heights: readonly bigint[]): Promise<readonly NodeBlock[]>
  /** The result is 0 before a block has this tag, and null when the node does not support the tag. */
  finalHeight(tag: 'safe' | 'finalized'): Promise<bigint | null>
  code(address: Address): Promise<Hex>
  logs(query: LogQuery): Promise<readonly NodeLog[]>
  call(call: NodeCall): Promise<Hex>
  /**
   * The number may change with every block, e.g. a balance. If providers differ, 'down' is at most the highest and 'up' at least the lowest
   * honest answer. An answer at which `amountOf` throws is a refusal.
   */
  callAmount(call: NodeCall, amountOf: (answer: Hex) => bigint, round: 'up' | 'down'): Promise<bigint>
  /** Answers of providers that are too far apart are a refusal too. */
  estimateGas(call: NodeCall): Promise<bigint>
  balance(address: Address): Promise<bigint>
  transactionCount(address: Address): Promise<bigint>
  /** The base fee is that of the newest block. */
  baseFee(): Promise<bigint>
  priorityFee(): Promise<bigint>
  gasPrice(): Promise<bigint>
  isKnown(tx: string): Promise<boolean>
  outcome(tx: string): Promise<'success' | 'reverted' | null>
  minedAt(tx: string): Promise<bigint | null>
  broadcast(raw: Hex): Promise<void>
  close(): void
}

const MAX_EMPTY_BLOCKS = 64

export function createNode(endpoint: Endpoint, timeoutMs: number): EvmNode {
  const rpc = createRpc(endpoint, timeoutMs)
  const ask = rpc.requestBatched
  const ranges = createLogRanges()
  /** Blocks without transactions have no logs either. */
  const empty = new Set<string>()

  async function read(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await ask(method, params)
    } catch (error) {
      if (error instanceof NodeRefusal)
        throw new ChainFailure('unreachable', `${method}: the node refused (${error.code} ${error.message})`)
      throw error
    }
  }

  async function block(height: bigint | 'latest'): Promise<NodeBlock | null> {
    const answer = await read('eth_getBlockByNumber', [height === 'latest' ? height : numberToHex(height), false])
    if (answer === null) return null
    const found = parseBlock(record(answer))
    if (isEmpty(record(answer))) noteEmpty(found.hash)
    if (height !== 'latest' && found.height !== height) throw malformed(`block ${height}`)
    return found
  }

  function noteEmpty(hash: string): void {
    empty.add(hash)
    for (const oldest of empty.size > MAX_EMPTY_BLOCKS ? [...empty].slice(0, 1) : []) empty.delete(oldest)
  }

  return {
    chainId: async () => quantity(await read('eth_chainId', [])),
    block,
    blocks: async (heights) => (await Promise.all(heights.map(block))).flatMap((found) => found ?? []),
    async finalHeight(tag) {
      try {
        const answer = await ask('eth_getBlockByNumber', [tag, false])
        return answer === null ? 0n : quantity(record(answer).number)
      } catch (error) {
        if (!(error instanceof NodeRefusal)) throw error
        // Geth and its forks answer this before the consensus client has named a block.
        if (/not found|unknown block/i.test(error.message)) return 0n
        if (isUnknownTag(error)) return null
        throw new ChainFailure('unreachable', `eth_getBlockByNumber: the node refused (${error.code} ${error.message})`)
      }
    },
    code: async (address) => hex(await read('eth_getCode', [address, 'latest'])),
    async logs({ addresses, events, ...where }) {
      const read = async (blocks: Readonly<Record<string, string>>) => {
        const answer = await ask('eth_getLogs', [{ address: addresses, topics: [events], ...blocks }])
        if (!Array.isArray(answer)) throw malformed('a list of logs')
        return answer.map(record).filter(isMined).map(parseLog)
      }
      if ('blockHash' in where) return empty.has(where.blockHash) ? [] : read(where)
      const found = ranges.read((from, to) => read({ fromBlock: numberToHex(from), toBlock: numberToHex(to) }), where.from, where.to)
      // A node that lacks a part of the range returns no error, so logs would be missing. The last block is asked for in the same batch.
      const [last, logs] = await Promise.all([block(where.to), found])
      if (last === null) throw new NodeRefusal(0, `it does not have block ${where.to} yet`, null)
      if (last.hash !== (where.lastHash ?? last.hash)) throw new NodeRefusal(0, `it is on another branch at block ${where.to}`, null)
      return logs
    },
    call: async (call) => hex(await ask('eth_call', [encodeCall(call), 'latest', ...encodeOverrides(call)])),
    async callAmount(call, amountOf) {
      const answer = hex(await ask('eth_call', [encodeCall(call), 'latest']))
      try {
        return amountOf(answer)
      } catch {
        throw new NodeRefusal(0, 'the answer is not an amount: is the contract there?', null)
      }
    },
    estimateGas: async (call) => quantity(await ask('eth_estimateGas', [encodeCall(call)])),
    balance: async (address) => quantity(await read('eth_getBalance', [address, 'latest'])),
    transactionCount: async (address) => quantity(await read('eth_getTransactionCount', [address, 'latest'])),
    baseFee: async () => (await block('latest'))?.baseFeePerGas ?? 0n,
    priorityFee: async () => quantity(await ask('eth_maxPriorityFeePerGas', [])),
    gasPrice: async () => quantity(await read('eth_gasPrice', [])),
    isKnown: async (tx) => (await read('eth_getTransactionByHash', [tx])) !== null,
    async outcome(tx) {
      const answer = await read('eth_getTransactionReceipt', [tx])
      if (answer === null) return null
      return quantity(record(answer).status) === 1n ? 'success' : 'reverted'
    },
    async minedAt(tx) {
      const answer = await read('eth_getTransactionReceipt', [tx])
      return answer === null ? null : quantity(record(answer).blockNumber)
    },
    async broadcast(raw) {
      await rpc.requestOnce('eth_sendRawTransaction', [raw])
    },
    close: () => rpc.close(),
  }
}

/** The whole header counts: a false time beside a true hash must not pass as the same block. Fields of some nodes do not count. */
export function keyOfBlock(block: NodeBlock): string {
  return [block.height, block.hash, block.parentHash, block.time, block.baseFeePerGas].join(' ')
}

/** In JSON-RPC, -32602 means invalid params, -32601 method not found, -32600 invalid request. Other errors are temporary. */
function isUnknownTag({ code, message }: NodeRefusal): boolean {
  return (code <= -32_600 && code >= -32_602) || /\btags?\b|invalid|unsupported|not supported|hex string/i.test(message)
}

function encodeCall({ from, to, data, readSlots, overrides: _, ...numbers }: NodeCall): Record<string, unknown> {
  const given = Object.entries(numbers).flatMap(([name, number]) => (number ? [[name, numberToHex(number)]] : []))
  const accessList = readSlots && [{ address: to, storageKeys: readSlots }]
  return { ...(from && { from }), to, ...(data && { data }), ...Object.fromEntries(given), ...(accessList && { accessList }) }
}

function encodeOverrides({ overrides }: NodeCall): readonly object[] {
  if (overrides === undefined) return []
  const encode = ({ balance, slots, code }: StateOverride) => ({
    ...(balance !== undefined && { balance: numberToHex(balance) }),
    ...(code && { code }),
    ...(slots && { stateDiff: slots }),
  })
  return [Object.fromEntries(Object.entries(overrides).map(([address, override]) => [address, encode(override)]))]
}

/** A log of a pending block does not count, nor one that a reorg removed. */
function isMined(log: Readonly<Record<string, unknown>>): boolean {
  return log.removed !== true && log.blockHash !== null && log.blockNumber !== null
}

/** Some nodes leave one of the two fields out. */
function isEmpty({ transactions, gasUsed }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(transactions) && transactions.length === 0 && gasUsed === '0x0'
}

function parseBlock(block: Readonly<Record<string, unknown>>): NodeBlock {
  return {
    height: quantity(block.number),
    hash: bytes32(block.hash),
    parentHash: bytes32(block.parentHash),
    time: quantity(block.timestamp),
    baseFeePerGas: block.baseFeePerGas === undefined ? 0n : quantity(block.baseFeePerGas),
    l1FeeRate: block.l1FeeRate === undefined ? 0n : rate(block.l1FeeRate),
  }
}

function parseLog(log: Readonly<Record<string, unknown>>): NodeLog {
  if (!Array.isArray(log.topics)) throw malformed('a list of topics')
  return {
    address: hex(log.address).toLowerCase() as Address,
    topics: log.topics.map(bytes32),
    data: hex(log.data),
    blockHeight: quantity(log.blockNumber),
    blockHash: bytes32(log.blockHash),
    tx: bytes32(log.transactionHash),
    logIndex: quantity(log.logIndex),
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw malformed('an object')
  return value as Record<string, unknown>
}

function quantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed('a quantity')
  return BigInt(value)
}

function rate(value: unknown): bigint {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : quantity(value)
}

function bytes32(value: unknown): Hex {
  const text = hex(value)
  if (text.length !== 66) throw malformed('32 bytes')
  return text.toLowerCase() as Hex
}

function hex(value: unknown): Hex {
  if (!isHex(value)) throw malformed('hex')
  return value
}

function malformed(expected: string): ChainFailure {
  return new ChainFailure('unreachable', `the node's answer is malformed: expected ${expected}`)
}
