/** Makes one EVM node of several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import type { Provider } from '@tandem/chain-kit/providers/pool.ts'
import { createQuorumNode, openSharedNode, type SharedNodeOptions } from '@tandem/chain-kit/providers/quorum-node.ts'
import { broadcastToAll, equal, equalOr, exactNumber, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Hex } from 'viem'
import { chainIdOf } from '../../terms/htlc.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import { PartialRefusal, verdictOf } from '../send/broadcast.ts'
import { isInsufficientFunds, isOutOfGas, isRevert } from '../send/revert.ts'
import { type EvmNode, keyOfBlock, type NodeLog } from './node.ts'
import { NodeRefusal } from './rpc.ts'

const isRefusal = (error: unknown): error is NodeRefusal => error instanceof NodeRefusal
const refusals = { is: isRefusal, kindOf: verdictOf, partial: (refusal: NodeRefusal) => new PartialRefusal(refusal) }

export function createSharedNode(chain: Chain, providers: readonly Provider<EvmNode>[], options: SharedNodeOptions): EvmNode {
  const shared = openSharedNode(chain, providers, options, {
    problemOf: chainProblem,
    newest: newestBlock,
    keyOf: keyOfBlock,
    isExecutionError,
  })
  const { quorum } = shared

  return {
    ...createQuorumNode(quorum, {
      code: (address) => [`the code of ${address}`, equal({ keyOf: lowerCase })],
      logs: (query) => [
        'blockHash' in query ? `logs of block ${query.blockHash}` : `logs of blocks ${query.from} to ${query.to}`,
        equal({ keyOf: keyOfLogs, isImmutable: true }),
      ],
      call: ({ to }) => [`a call of ${to}`, equal({ keyOf: lowerCase })],
      callAmount: ({ to }, _, round) => [`a call of ${to}`, movingNumber(round)],
      estimateGas: ({ to }) => [`the gas for a call of ${to}`, movingNumber('up', tooFarApart(`the gas for a call of ${to}`))],
      balance: (address) => [`the balance of ${address}`, movingNumber('down')],
      transactionCount: (address) => [`the nonce of ${address}`, exactNumber],
      priorityFee: () => ['the priority fee', movingNumber('up', tooFarApart('the priority fee'))],
      gasPrice: () => ['the gas price', movingNumber('up')],
      // Mempools differ. Rebroadcasting a transaction that too few nodes have does no harm.
      isKnown: (tx) => [`transaction ${tx}`, equalOr({ choose: (agreed) => agreed.includes(true), otherwise: () => false })],
      outcome: (tx) => [`the receipt of ${tx}`, equal({ keyOf: (outcome) => outcome, isImmutable: true })],
      minedAt: (tx) => [`the block of ${tx}`, equal({ keyOf: String })],
    }),
    async chainId() {
      await shared.verify()
      return BigInt(chainIdOf(chain))
    },
    baseFee: async () => (await shared.newest()).baseFeePerGas,
    finalHeight: (tag) => shared.finalHeight(tag, (node) => node.finalHeight(tag)),
    /** A provider that accepts everything must not hide that the others refuse, so the broadcast goes to all. */
    broadcast(raw) {
      const ask = (node: EvmNode) =>
        node.broadcast(raw).catch((error: unknown) => {
          if (!isRefusal(error) || verdictOf(error) !== 'accepted') throw error
        })
      return broadcastToAll(quorum, { what: 'eth_sendRawTransaction', ask }, refusals)
    },
    ...shared.methods,
  }
}

function isExecutionError(error: unknown): boolean {
  return isRevert(error) || isInsufficientFunds(error) || isOutOfGas(error)
}

/** Callers of these methods fall back to a safe constant at a refusal. */
function tooFarApart(what: string): () => never {
  return () => {
    throw new NodeRefusal(0, `${what}: providers are far apart`, null)
  }
}

function keyOfLogs(logs: readonly NodeLog[]): string {
  const keys = logs.map((log) => [log.address, log.topics, log.data, log.blockHeight, log.blockHash, log.tx, log.logIndex].join(' '))
  return keys.sort().join('\n').toLowerCase()
}

function lowerCase(hex: Hex): string {
  return hex.toLowerCase()
}
