// Starts the Starknet simulator: one local chain behind the JSON-RPC of a node. Contracts are re-implemented in TypeScript; no Cairo runs.
import { BLOCK_MS } from './chain/clock.ts'
import { createStarknetNode, type ReorgOptions, type StarknetMining, type StarknetNode } from './chain/node.ts'
import { knownClassHashes } from './classes/htlc-artifact.ts'
import type { GasPrices } from './execution/gas.ts'
import { hex, shortString } from './felt.ts'
import type { SpecVersion } from './rpc/context.ts'
import { createMethods } from './rpc/methods.ts'
import type { Answer } from './rpc/rpc-server.ts'
import { startRpcServer } from './rpc/rpc-server.ts'
import { createSubscriptions } from './rpc/subscriptions.ts'
import { createClassReader } from './transactions/declared-class.ts'

export interface StarknetChainOptions {
  /** The id is a short string. */
  readonly chainId?: string
  readonly port?: number
  /** The accounts of these private keys are deployed and own STRK from the first block on. */
  readonly keys?: readonly string[]
  readonly mining?: StarknetMining
  /** A block is accepted on L1 when this many follow it. */
  readonly l1Lag?: number
  /** If false, a transaction must declare our HTLC. The default is true. */
  readonly declaresHtlc?: boolean
  readonly specVersion?: SpecVersion
  /** The time is in milliseconds. */
  readonly now?: () => number
}

export interface StarknetChain {
  readonly chainId: string
  readonly url: string
  readonly webSocketUrl: string
  readonly node: StarknetNode
  readonly answer: Answer
  setMining(mining: StarknetMining): void
  mine(blocks?: number): void
  passSeconds(seconds: number): void
  setGasPrices(prices: GasPrices): void
  subscriptionCount(): number
  readonly faults: StarknetChainFaults
  close(): Promise<void>
}

export interface StarknetChainFaults {
  reorg(depth: number, options?: ReorgOptions): void
  /** The node accepts the next `count` transactions and forgets them. */
  drop(count: number): void
  evict(hash: string): boolean
  /** The next block completes the pre-confirmed block. */
  preConfirm(): void
  dropPreConfirmed(transactions?: 'return' | 'drop'): void
  delay(delayMs: number): void
  offline(offline: boolean): void
}

const LOCAL_CHAIN_ID = 'SN_TANDEM_LOCAL'
/** This is deeper than the reorgs of tests. */
const L1_LAG = 18

export async function startStarknetChain(options: StarknetChainOptions = {}): Promise<StarknetChain> {
  const { chainId = LOCAL_CHAIN_ID, port = 0, keys = [], mining = 'instant', l1Lag = L1_LAG } = options
  const { declaresHtlc = true, specVersion = '0.10.0', now } = options
  const node = createStarknetNode({ chainId: shortString(chainId), mining, l1Lag, keys, declaresHtlc, ...(now && { now }) })
  const subscriptions = createSubscriptions(node)
  let ticking: NodeJS.Timeout | undefined

  const answer = createMethods({
    node,
    specVersion,
    readClass: createClassReader(knownClassHashes),
    nextBlock: () => ({ ...node.nextBlock(), parentHash: node.ledger.tip().hash, transactions: [] }),
  })

  /** Blocks are made when somebody reads. Only subscribers must be notified without a request. */
  function tickForSubscribers(): void {
    if (subscriptions.count() > 0) ticking ??= setInterval(node.catchUp, BLOCK_MS).unref()
    else {
      clearInterval(ticking)
      ticking = undefined
    }
  }

  const server = await startRpcServer(
    {
      http: answer,
      socket(listener, method, params) {
        const answered = subscriptions.answer(listener, method, params)
        tickForSubscribers()
        return answered === undefined ? answer(method, params) : answered.result
      },
      disconnected(listener) {
        subscriptions.removeAll(listener)
        tickForSubscribers()
      },
    },
    port,
  )

  return {
    chainId: hex(shortString(chainId)),
    url: `http://127.0.0.1:${server.port}`,
    webSocketUrl: `ws://127.0.0.1:${server.port}`,
    node,
    answer,
    setMining: node.setMining,
    mine: node.mine,
    passSeconds: node.passTime,
    setGasPrices: node.setGasPrices,
    subscriptionCount: subscriptions.count,
    faults: {
      reorg: node.reorg,
      drop: node.drop,
      evict: (hash) => node.evict(BigInt(hash)),
      preConfirm: node.preConfirm,
      dropPreConfirmed: node.dropPreConfirmed,
      delay: server.setDelay,
      offline: server.setOffline,
    },
    async close() {
      clearInterval(ticking)
      await server.close()
    },
  }
}
