// Starts the simulator of the XRP Ledger: one local chain behind the websocket interface of a node, without validators and peers.
import { createXrplNode, type ReorgOptions, type XrplMining, type XrplNode } from './chain/node.ts'
import { LEDGER_MS } from './chain/pace.ts'
import { createKeptLedgers } from './rpc/kept-ledgers.ts'
import { type Answer, createMethods } from './rpc/methods.ts'
import { startRpcServer } from './rpc/rpc-server.ts'
import { createSubscriptions } from './rpc/subscriptions.ts'
import type { Fees } from './transactions/transactor.ts'

export interface XrplChainOptions {
  readonly masterAccount: string
  readonly networkId?: number
  readonly port?: number
  readonly mining?: XrplMining
  /** The wall clock is in milliseconds. */
  readonly now?: () => number
}

export interface XrplChain {
  readonly url: string
  readonly networkId: number
  readonly node: XrplNode
  /** Simulated providers in front of this chain ask without a network. An error is an RpcError. */
  readonly answer: Answer
  setMining(mining: XrplMining): void
  mine(ledgers?: number): void
  passSeconds(seconds: number): void
  setFees(fees: Fees): void
  subscriberCount(): number
  readonly faults: XrplChainFaults
  close(): Promise<void>
}

export interface XrplChainFaults {
  /** The real network does not undo validated ledgers. A client sees this when its node was restored to another history. */
  reorg(depth: number, options?: ReorgOptions): void
  /** The next `count` transactions are accepted and forgotten. */
  drop(count: number): void
  /** The transaction is forgotten unless it is in a closed ledger. */
  evict(hash: string): boolean
  /** Transactions below this fee, in drops for a reference transaction, wait in the queue. A null turns it off. */
  congest(openLedgerFee: bigint | null): void
  hideLedgers(from: number, to: number): void
  showLedgers(): void
  delay(delayMs: number): void
  offline(offline: boolean): void
}

/** The chain `xrpl_localnet` has this id in the registry. Transactions of networks up to 1024 do not name their network. */
const LOCAL_NETWORK_ID = 1_000

export async function startXrplChain(options: XrplChainOptions): Promise<XrplChain> {
  const { masterAccount, networkId = LOCAL_NETWORK_ID, port = 0, mining = 'instant', now = Date.now } = options
  const node = createXrplNode({ networkId, masterAccount, mining, now })
  const kept = createKeptLedgers(node.history)
  const answer = createMethods({ node, kept })
  const subscriptions = createSubscriptions(node, kept)
  let ticking: NodeJS.Timeout | undefined

  /** Ledgers close when a request comes. Only subscribers need a timer, because they are notified without a request. */
  function tickForSubscribers(): void {
    if (subscriptions.count() > 0) ticking ??= setInterval(node.catchUp, LEDGER_MS).unref()
    else {
      clearInterval(ticking)
      ticking = undefined
    }
  }

  const server = await startRpcServer(
    {
      answer(listener, request) {
        const answered = subscriptions.answer(listener, request)
        if (answered === undefined) return answer(request)
        tickForSubscribers()
        return answered
      },
      disconnected(listener) {
        subscriptions.removeAll(listener)
        tickForSubscribers()
      },
    },
    port,
  )

  return {
    url: `ws://127.0.0.1:${server.port}`,
    networkId,
    node,
    answer,
    setMining: node.setMining,
    mine: node.mine,
    passSeconds: node.passTime,
    setFees: node.setFees,
    subscriberCount: subscriptions.count,
    faults: {
      reorg: node.reorg,
      drop: node.drop,
      evict: node.evict,
      congest: node.congest,
      hideLedgers: kept.hide,
      showLedgers: kept.showAll,
      delay: server.setDelay,
      offline: server.setOffline,
    },
    async close() {
      clearInterval(ticking)
      await server.close()
    },
  }
}
