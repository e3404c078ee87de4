// Starts the Starknet simulator: one local chain behind the JSON-RPC of a node. Contracts are TypeScript re-implementations; no Cairo runs.
import { BLOCK_MS } from './chain/clock.ts'
import { createStarknetNode, type ReorgOptions, type StarknetMining, type StarknetNode } from './chain/node.ts'
import { knownClassHashes } from './classes/htlc-artifact.ts'
import type { GasPrices } from './execution/gas.ts'
import { hex, shortString } from './felt.ts'
import type { SpecVersion } from './rpc/context.ts'
import { createMethods } from './rpc/methods.ts'
import type { Answer } from './rpc/request.ts'
import { startRpcServer } from './rpc/rpc-server.ts'
import { createSubscriptions } from './rpc/subscriptions.ts'
import { createClassReader } from './transactions/declared-class.ts'

export interface StarknetChainOptions {
  /** A short string. */
  readonly chainId?: string
  /** A free port is taken when none is given. */
  readonly port?: number
  /** Private keys whose accounts are deployed and own STRK from the first block on. */
  readonly keys?: readonly string[]
  readonly mining?: StarknetMining
  /** How many blocks must follow one until it is accepted on L1. */
  readonly l1Lag?: number
  /** False: our HTLC must be declared by a transaction. Default: true. */
  readonly declaresHtlc?: boolean
  readonly specVersion?: SpecVersion
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface StarknetChain {
  readonly chainId: string
  readonly url: string
  readonly webSocketUrl: string
  /** The node behind the interface, for tests and for the faucet. */
  readonly node: StarknetNode
  /** Answers a request without a network: for simulated providers in front of this chain. */
  readonly answer: Answer
  setMining(mining: StarknetMining): void
  /** Makes blocks now, with the transactions that wait. */
  mine(blocks?: number): void
  /** Moves the clock of the chain, and makes a block. */
  passSeconds(seconds: number): void
  setGasPrices(prices: GasPrices): void
  /** Over all websockets. */
  subscriptionCount(): number
  readonly faults: StarknetChainFaults
  close(): Promise<void>
}

export interface StarknetChainFaults {
  reorg(depth: number, options?: ReorgOptions): void
  /** The next `count` transactions are accepted and forgotten. */
  drop(count: number): void
  /** Forgets a transaction that waits. */
  evict(hash: string): boolean
  /** Executes what waits in the pre-confirmed block, which the next block completes. */
  preConfirm(): void
  dropPreConfirmed(transactions?: 'return' | 'drop'): void
  /** Delays every answer; 0 turns it off. */
  delay(delayMs: number): void
  /** Cuts the network; the chain itself goes on. */
  offline(offline: boolean): void
}

/** Of the chain `starknet_localnet` in the registry. */
const LOCAL_CHAIN_ID = 'SN_TANDEM_LOCAL'
/** Deeper than the reorganisations of tests. */
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

  /** Blocks are made when somebody looks. Only subscribers must be told of them without asking. */
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
