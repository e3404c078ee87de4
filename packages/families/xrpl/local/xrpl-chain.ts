// Starts the simulator of the XRP Ledger: one local chain behind the websocket interface of a node. No validators, no peers.

import { createXrplNode, type ReorgOptions, type XrplMining, type XrplNode } from './chain/node.ts'
import { LEDGER_MS } from './chain/pace.ts'
import { createKeptLedgers } from './rpc/kept-ledgers.ts'
import { type Answer, createMethods } from './rpc/methods.ts'
import { startRpcServer } from './rpc/rpc-server.ts'
import { createSubscriptions } from './rpc/subscriptions.ts'
import type { Fees } from './transactions/transactor.ts'

export interface XrplChainOptions {
  /** Owns all XRP in the first ledger. */
  readonly masterAccount: string
  readonly networkId?: number
  /** A free port is taken when none is given. */
  readonly port?: number
  readonly mining?: XrplMining
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface XrplChain {
  readonly url: string
  readonly networkId: number
  /** The node behind the interface, for tests and for the faucet. */
  readonly node: XrplNode
  /** Answers a request without a network: for simulated providers in front of this chain. Throws an RpcError. */
  readonly answer: Answer
  setMining(mining: XrplMining): void
  /** Closes ledgers now, with the transactions that wait. */
  mine(ledgers?: number): void
  /** Closes a ledger more than so many seconds after the newest one. */
  passSeconds(seconds: number): void
  setFees(fees: Fees): void
  /** Connections with subscriptions. */
  subscriberCount(): number
  readonly faults: XrplChainFaults
  close(): Promise<void>
}

export interface XrplChainFaults {
  /** The real network does not undo validated ledgers. This is what a client sees whose node was restored to another history. */
  reorg(depth: number, options?: ReorgOptions): void
  /** The next `count` transactions are accepted and forgotten. */
  drop(count: number): void
  /** Forgets a transaction that is not in a closed ledger. */
  evict(hash: string): boolean
  /** Transactions below this fee, in drops for a reference transaction, wait in the queue. Null turns it off. */
  congest(openLedgerFee: bigint | null): void
  /** The node lacks these ledgers. */
  hideLedgers(from: number, to: number): void
  showLedgers(): void
  /** Delays every answer; 0 turns it off. */
  delay(delayMs: number): void
  /** Cuts the network; the chain itself goes on. */
  offline(offline: boolean): void
}

/** Of the chain `xrpl_localnet` in the registry. Transactions of networks up to 1024 do not name their network. */
const LOCAL_NETWORK_ID = 1_000

export async function startXrplChain(options: XrplChainOptions): Promise<XrplChain> {
  const { masterAccount, networkId = LOCAL_NETWORK_ID, port = 0, mining = 'instant', now = Date.now } = options
  const node = createXrplNode({ networkId, masterAccount, mining, now })
  const kept = createKeptLedgers(node.history)
  const answer = createMethods({ node, kept })
  const subscriptions = createSubscriptions(node, kept)
  let ticking: NodeJS.Timeout | undefined

  /** Ledgers close when somebody looks. Only subscribers must be told of them without asking. */
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
