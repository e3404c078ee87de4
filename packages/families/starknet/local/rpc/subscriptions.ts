// Serves subscriptions over websocket: new blocks, and reorgs, of which every subscriber is notified.

import { RpcError } from '@tandem/chain-kit/local/json-rpc.ts'
import type { Listener } from '@tandem/chain-kit/local/local-server.ts'
import type { Block } from '../chain/ledger.ts'
import type { StarknetNode } from '../chain/node.ts'
import { hex } from '../felt.ts'
import { headerJson } from './block-json.ts'
import { namedParams } from './params.ts'
import { invalidParams } from './rpc-error.ts'

export interface Subscriptions {
  answer(listener: Listener, method: string, params: unknown): { readonly result: unknown } | undefined
  removeAll(listener: Listener): void
  count(): number
}

const INVALID_SUBSCRIPTION = 66

export function createSubscriptions(node: StarknetNode): Subscriptions {
  const listeners = new Map<string, Listener>()
  let created = 0

  function tell(method: string, result: unknown): void {
    for (const [id, listener] of listeners)
      listener.send(JSON.stringify({ jsonrpc: '2.0', method, params: { subscription_id: id, result } }))
  }

  node.onBlock((block) => {
    if (listeners.size > 0) tell('starknet_subscriptionNewHeads', headerJson(block, node.chain.sequencer))
  })
  node.onReorg((removed) => {
    if (listeners.size > 0) tell('starknet_subscriptionReorg', reorgJson(removed))
  })

  function subscribe(listener: Listener, params: unknown): string {
    const { block_id: block = 'latest' } = namedParams(params, ['block_id'])
    if (block !== 'latest') throw invalidParams('block_id: the simulator tells of new blocks only')
    created += 1
    const id = String(created)
    listeners.set(id, listener)
    return id
  }

  function unsubscribe(listener: Listener, params: unknown): true {
    const id = String(namedParams(params, ['subscription_id']).subscription_id)
    if (listeners.get(id) !== listener) throw new RpcError(INVALID_SUBSCRIPTION, 'Invalid subscription id')
    listeners.delete(id)
    return true
  }

  return {
    answer(listener, method, params) {
      switch (method) {
        case 'starknet_subscribeNewHeads':
          return { result: subscribe(listener, params) }
        case 'starknet_unsubscribe':
          return { result: unsubscribe(listener, params) }
        default:
          return undefined
      }
    },
    removeAll(listener) {
      for (const [id, subscriber] of listeners) if (subscriber === listener) listeners.delete(id)
    },
    count: () => listeners.size,
  }
}

function reorgJson(removed: readonly Block[]) {
  const [first, last] = [removed[0], removed.at(-1)]
  return {
    starting_block_hash: hex(first?.hash ?? 0n),
    starting_block_number: first?.number ?? 0,
    ending_block_hash: hex(last?.hash ?? 0n),
    ending_block_number: last?.number ?? 0,
  }
}
