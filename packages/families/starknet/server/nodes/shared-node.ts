/** Makes one Starknet node of several providers. It works while some are dead, slow or behind, and with a quorum while some lie. */

import type { Provider } from '@tandem/chain-kit/providers/pool.ts'
import type { Rule } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode, openSharedNode, type SharedNodeOptions } from '@tandem/chain-kit/providers/quorum-node.ts'
import {
  broadcastToAll,
  byDecision,
  equal,
  exactNumber,
  kthNumber,
  movingNumber,
  type Refusals,
  settledKthNumber,
} from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { isRevert } from '../refusal.ts'
import { chainProblem } from './chain-problem.ts'
import { type FeeEstimate, type NodeEvent, NodeRefusal, type Outcome, PartialRefusal, type StarknetNode } from './node.ts'
import { keyOfBlock, newestOf } from './read-blocks.ts'
import { keyOfEvent } from './read-events.ts'

/**
 * A quorum must say that a transaction is in a block, with the same result, or that it was rejected. Mempools differ, so otherwise it is
 * pending if a quorum knows it in any way, and else unknown: sending it again does no harm.
 */
const minedByQuorum: Rule<Outcome | null> = byDecision((size) => {
  const ofKind = (outcomes: readonly (Outcome | null)[], kind: Outcome['kind']) => outcomes.filter((one) => one?.kind === kind)
  return {
    decide(outcomes) {
      const agreed = (['succeeded', 'reverted', 'rejected', 'pending'] as const).map((kind) => ofKind(outcomes, kind))
      const [first] = agreed.find((alike) => alike.length >= size) ?? []
      return first ?? (outcomes.filter((one) => one === null).length >= size ? null : undefined)
    },
    otherwise(outcomes) {
      const known = outcomes.length - outcomes.filter((one) => one === null).length - ofKind(outcomes, 'rejected').length
      return known >= size ? { kind: 'pending' } : null
    },
  }
})

/**
 * Each amount and price is at least the lowest honest answer, as by `movingNumber('up')`. They are limits: unused gas is not paid, and the
 * caller has caps.
 */
const highestEstimate: Rule<FeeEstimate> = byDecision((size) => ({
  decide(estimates) {
    const isSettled = numbers.every((number) => settledKthNumber(estimates.map(number), size, 'up') !== undefined)
    return isSettled ? combine(estimates, size) : undefined
  },
  otherwise: (estimates) => combine(estimates, size),
}))

const kinds = ['l1Gas', 'l1DataGas', 'l2Gas'] as const
const numbers: readonly ((estimate: FeeEstimate) => bigint)[] = [
  ...kinds.map((kind) => (estimate: FeeEstimate) => estimate.gas[kind]),
  ...kinds.map((kind) => (estimate: FeeEstimate) => estimate.prices[kind]),
  ({ fee }) => fee,
]

const refusals: Refusals<NodeRefusal> = {
  is: (error) => error instanceof NodeRefusal,
  kindOf: ({ code }) => code,
  partial: (refusal) => new PartialRefusal(refusal),
}

export function createSharedNode(chain: Chain, providers: readonly Provider<StarknetNode>[], options: SharedNodeOptions): StarknetNode {
  const shared = openSharedNode(chain, providers, options, {
    problemOf: chainProblem,
    newest: newestOf,
    keyOf: keyOfBlock,
    isExecutionError: isRevert,
  })
  const { quorum } = shared

  return {
    ...createQuorumNode(quorum, {
      specVersion: () => ['the version', equal()],
      classHashAt: (address) => [`the class of ${address}`, equal()],
      isDeclared: (classHash) => [`class ${classHash}`, equal()],
      call: ({ to }) => [`a call of ${to}`, equal({ keyOf: (answer) => answer.join(' ') })],
      callAmount: ({ to }, _, round) => [`a call of ${to}`, movingNumber(round)],
      nonce: (address) => [`the nonce of ${address}`, exactNumber],
      events: (query) => [
        'blockHash' in query ? `events of block ${query.blockHash}` : `events of blocks ${query.from} to ${query.to}`,
        equal({ keyOf: keyOfEvents, isImmutable: true }),
      ],
      outcome: (tx) => [`the outcome of ${tx}`, minedByQuorum],
      emitted: (tx) => [
        `the events of ${tx}`,
        equal({ keyOf: (events) => events.map(({ address, keys }) => `${address} ${keys}`).join('\n') }),
      ],
      estimate: ({ type }) => [`the fee of a transaction (${type})`, highestEstimate],
    }),
    async chainId() {
      await shared.verify()
      return chain.reference.replace(/^starknet:/, '')
    },
    finalHeight: async () => (await shared.finalHeight('accepted on L1', (node) => node.finalHeight())) ?? 0n,
    /** One provider that accepts everything must not hide that the others refuse. */
    broadcast: (transaction) => broadcastToAll(quorum, { what: 'the broadcast', ask: (node) => node.broadcast(transaction) }, refusals),
    ...shared.methods,
  }
}

function keyOfEvents(events: readonly NodeEvent[]): string {
  return events.map(keyOfEvent).sort().join('\n')
}

function combine(estimates: readonly FeeEstimate[], size: number): FeeEstimate {
  const of = (number: (estimate: FeeEstimate) => bigint) => kthNumber(estimates.map(number), size, 'up') ?? 0n
  const ofEach = (part: 'gas' | 'prices') => ({
    l1Gas: of((estimate) => estimate[part].l1Gas),
    l1DataGas: of((estimate) => estimate[part].l1DataGas),
    l2Gas: of((estimate) => estimate[part].l2Gas),
  })
  return { gas: ofEach('gas'), prices: ofEach('prices'), fee: of(({ fee }) => fee) }
}
