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
  /** The default is a free pair of ports; websockets are on the second port too. */
  readonly port?: number
}

export interface SolanaChain {
  readonly url: string
  readonly webSocketUrl: string
  readonly node: SolanaNode
  setMining(mining: SolanaMining): void
  mine(blocks?: number): void
  skip(slots?: number): void
  passTime(slots: number): void
  airdrop(address: Address, lamports: bigint): string
  subscriptionCount(): number
  readonly faults: SolanaChainFaults
  close(): Promise<void>
}

export interface SolanaChainFaults {
  reorg(depth: number, options?: ReorgOptions): void
  drop(count: number): void
  /** Leaders include no transaction that pays less, in micro-lamports per compute unit. Zero ends the congestion. */
  congest(minUnitPrice: bigint): void
  delay(delayMs: number): void
  offline(offline: boolean): void
}

/** The registry has this id for the chain `solana_localnet`. */
const LOCAL_GENESIS_HASH = 'Bgk8syxnq4jbmHxhiazStka9AwY5Vyip62epmTZRKpbG'

export async function startSolanaChain({ port = 0, ...options }: SolanaChainOptions = {}): Promise<SolanaChain> {
  const node = createSolanaNode({ genesisHash: LOCAL_GENESIS_HASH, mining: 'instant', ...options })
  const airdrop = createAirdrop(node)
  const methods = createMethods(node, (address, lamports) => airdrop(address, BigInt(lamports)))
  const subscriptions = createSubscriptions(node)
  let ticking: NodeJS.Timeout | undefined

  /** Blocks are made when somebody reads. Only subscribers must be notified without a request. */
  function tickForSubscribers(): void {
    if (subscriptions.count() > 0) ticking ??= setInterval(tick, SLOT_MS).unref()
    else {
      clearInterval(ticking)
      ticking = undefined
    }
  }

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
