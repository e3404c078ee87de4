/** One EVM node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { checkProviders } from '@tandem/chain-kit/providers/check-providers.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import { poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import { isRefusedByAll, noAgreement } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { equal, equalOr, exactNumber, finalHeight, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Hex } from 'viem'
import { chainIdOf } from '../../terms/htlc.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { commonRefusal, PartialRefusal, verdictOf } from '../send/broadcast.ts'
import { isInsufficientFunds, isOutOfGas, isRevert } from '../send/revert.ts'
import { type EvmNode, keyOfBlock, type NodeBlock, type NodeLog } from './node.ts'
import { NodeRefusal } from './rpc.ts'

export type SharedNodeOptions = {
  /** How many providers must agree where money depends on it. One fewer may lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

export function createSharedNode(
  chain: Chain,
  providers: readonly Provider<EvmNode>[],
  { quorum: size, ...options }: SharedNodeOptions,
): EvmNode {
  const problemOf = (node: EvmNode) => chainProblem(chain, node)
  const quorum = openQuorum(chain.id, providers, { size, isExecutionError, problemOf, ...options })
  const allowedLag = allowedLagOf(chain)
  const blocks = createAgreedBlocks<EvmNode, NodeBlock>(quorum, {
    async newest(node) {
      const block = await node.block('latest')
      if (block === null) throw new ChainFailure('unreachable', 'it has no block')
      return block
    },
    all: (node, heights) => node.blocks(heights),
    keyOf: keyOfBlock,
    heightsMaySkip: chain.heightsMaySkip,
    allowedLag,
  })

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
      await checkProviders(chain.id, providers, size, problemOf)
      return BigInt(chainIdOf(chain))
    },
    block: (height) => (height === 'latest' ? blocks.newest() : blocks.at(height)),
    glimpse: blocks.glimpse,
    blocks: blocks.all,
    baseFee: async () => (await blocks.newest()).baseFeePerGas,
    /** No block above the newest can be final. A provider that claims one far above it is suspended; a claim slightly above it counts as the newest. */
    async finalHeight(tag) {
      const newest = (await blocks.newest()).height
      const ask = async (node: EvmNode) => {
        const height = await node.finalHeight(tag)
        if (height !== null && height > newest + allowedLag)
          throw new ChainFailure('unreachable', `it calls block ${height} ${tag}, and the newest is ${newest}`)
        return height !== null && height > newest ? newest : height
      }
      return finalHeight(quorum, { what: `the ${tag} block`, ask })
    },
    /** Broadcasts to every provider. One that accepts everything must not hide that the others refuse. */
    async broadcast(raw) {
      await poll<EvmNode, void, true>(quorum.pool, {
        enough: size,
        everyone: true,
        async ask(node) {
          try {
            await node.broadcast(raw)
          } catch (error) {
            if (!(error instanceof NodeRefusal) || verdictOf(error) !== 'accepted') throw error
          }
        },
        decide: () => true,
        otherwise({ answers, failures }) {
          const refusal = commonRefusal(failures.flatMap(({ error }) => (error instanceof NodeRefusal ? [error] : [])))
          const isFinal = answers.length === 0 && isRefusedByAll(failures)
          if (refusal !== undefined) throw isFinal ? refusal : new PartialRefusal(refusal)
          if (answers.length === 0) throw noAgreement('eth_sendRawTransaction', 1, [], failures)
          return true
        },
      })
    },
    close: () => void quorum.close(),
  }
}

/** The chain refused the call; the provider did not fail. */
function isExecutionError(error: unknown): boolean {
  return isRevert(error) || isInsufficientFunds(error) || isOutOfGas(error)
}

/** A refusal, because callers of these methods fall back to a safe constant. */
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
