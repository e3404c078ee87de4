// Starts a local Solana chain: agave's runtime behind the JSON-RPC and the websocket subscriptions of a node.
import type { Address } from '@solana/kit'
import { createAirdrop } from './airdrop.ts'
import { createMethods } from './rpc/methods.ts'
import { methodNotFound } from './rpc/rpc-error.ts'
import { startRpcServer } from './rpc/rpc-server.ts'
import { createSubscriptions } from './rpc/subscriptions.ts'
import { SLOT_MS } from './slot-pace.ts'
import { createSolanaNode, type ReorgOptions, type SolanaMining, type SolanaNode, type SolanaNodeOptions } from './solana-node.ts'

export interface SolanaChainOptions extends Partial<SolanaNodeOptions> {
  /** A free pair of ports is taken when none is given; websockets are on the next one too. */
  readonly port?: number
}

export interface SolanaChain {
  readonly url: string
  readonly webSocketUrl: string
  /** The node behind the interface, for tests and for the faucet. */
  readonly node: SolanaNode
  setMining(mining: SolanaMining): void
  /** Makes blocks now, with the transactions that wait. */
  mine(blocks?: number): void
  /** Lets slots pass without a block. */
  skip(slots?: number): void
  /** Lets slots and their time pass: what waits for a timelock need not wait. */
  passTime(slots: number): void
  /** Pays SOL. Returns the signature; the transaction waits for a block. */
  airdrop(address: Address, lamports: bigint): string
  /** Over all websockets. */
  subscriptionCount(): number
  readonly faults: SolanaChainFaults
  close(): Promise<void>
}

export interface SolanaChainFaults {
  /** Replaces the newest blocks by one more, in later slots. */
  reorg(depth: number, options?: ReorgOptions): void
  /** The next `count` transactions are accepted and forgotten. */
  drop(count: number): void
  /** Leaders take no transaction that pays less, in micro-lamports per compute unit; 0 turns it off. */
  congest(minUnitPrice: bigint): void
  /** Delays every answer; 0 turns it off. */
  delay(delayMs: number): void
  /** Cuts the network; the chain itself goes on. */
  offline(offline: boolean): void
}

/** Of the chain `solana_localnet` in the registry. */
const LOCAL_GENESIS_HASH = 'Bgk8syxnq4jbmHxhiazStka9AwY5Vyip62epmTZRKpbG'

export async function startSolanaChain({ port = 0, ...options }: SolanaChainOptions = {}): Promise<SolanaChain> {
  const node = createSolanaNode({ genesisHash: LOCAL_GENESIS_HASH, mining: 'instant', ...options })
  const airdrop = createAirdrop(node)
  const methods = createMethods(node, (address, lamports) => airdrop(address, BigInt(lamports)))
  const subscriptions = createSubscriptions(node)
  let ticking: NodeJS.Timeout | undefined

  /** Blocks are made when somebody looks. Only subscribers must be told of them without asking. */
  function tickForSubscribers(): void {
    if (subscriptions.count() > 0) ticking ??= setInterval(tick, SLOT_MS).unref()
    else {
      clearInterval(ticking)
      ticking = undefined
    }
  }

  /** A subscription to a signature ends by itself. */
  function tick(): void {
    node.catchUp()
    tickForSubscribers()
  }

  function answer(method: string, params: readonly unknown[]): unknown {
    const run = methods.get(method)
    if (run === undefined) throw methodNotFound()
    node.catchUp()
    return run(params)
  }

  const server = await startRpcServer(
    {
      http: answer,
      socket(listener, method, params) {
        node.catchUp()
        const answered = subscriptions.answer(listener, method, params)
        tickForSubscribers()
        return answered ?? answer(method, params)
      },
      disconnected(listener) {
        subscriptions.removeAll(listener)
        tickForSubscribers()
      },
    },
    port,
  )

  return {
    url: `http://127.0.0.1:${server.port}`,
    webSocketUrl: `ws://127.0.0.1:${server.webSocketPort}`,
    node,
    setMining: node.setMining,
    mine: node.mine,
    skip: node.skip,
    passTime: node.passSlots,
    airdrop,
    subscriptionCount: subscriptions.count,
    faults: {
      reorg: node.reorg,
      drop: node.drop,
      congest: node.setMinUnitPrice,
      delay: server.setDelay,
      offline: server.setOffline,
    },
    async close() {
      clearInterval(ticking)
      node.stop()
      await server.close()
    },
  }
}
