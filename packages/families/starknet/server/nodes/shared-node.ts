/** One Starknet node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { checkProviders } from '@tandem/chain-kit/providers/check-providers.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import { poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import { isRefusedByAll, noAgreement } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { equal, exactNumber, finalHeight, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { isRevert } from '../refusal.ts'
import { highestEstimate, minedByQuorum } from './agreement.ts'
import { chainProblem } from './chain-problem.ts'
import { type NodeBlock, type NodeEvent, NodeRefusal, PartialRefusal, type StarknetNode } from './node.ts'
import { keyOfBlock, newestOf } from './read-blocks.ts'
import { keyOfEvent } from './read-events.ts'

export type SharedNodeOptions = {
  /** How many providers must agree where money depends on it. One fewer may lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

export function createSharedNode(
  chain: Chain,
  providers: readonly Provider<StarknetNode>[],
  { quorum: size, ...options }: SharedNodeOptions,
): StarknetNode {
  const problemOf = (node: StarknetNode) => chainProblem(chain, node)
  const quorum = openQuorum(chain.id, providers, { size, isExecutionError: isRevert, problemOf, ...options })
  const allowedLag = allowedLagOf(chain)
  const blocks = createAgreedBlocks<StarknetNode, NodeBlock>(quorum, {
    newest: newestOf,
    all: (node, heights) => node.blocks(heights),
    keyOf: keyOfBlock,
    heightsMaySkip: chain.heightsMaySkip,
    allowedLag,
  })

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
      estimate: ({ type }) => [`the fee of a transaction (${type})`, highestEstimate],
    }),
    async chainId() {
      await checkProviders(chain.id, providers, size, problemOf)
      return chain.reference.replace(/^starknet:/, '')
    },
    block: (height) => (height === 'latest' ? blocks.newest() : blocks.at(height)),
    glimpse: blocks.glimpse,
    blocks: blocks.all,
    /** No block above the newest can be final. A provider that claims one far above it is suspended; slightly above counts as the newest. */
    async finalHeight() {
      const newest = (await blocks.newest()).height
      const ask = async (node: StarknetNode) => {
        const height = await node.finalHeight()
        if (height > newest + allowedLag)
          throw new ChainFailure('unreachable', `it calls block ${height} accepted on L1, and the newest is ${newest}`)
        return height > newest ? newest : height
      }
      return (await finalHeight(quorum, { what: 'the newest block that is accepted on L1', ask })) ?? 0n
    },
    /** One provider that accepts everything must not hide that the others refuse. */
    async broadcast(transaction) {
      await poll<StarknetNode, void, true>(quorum.pool, {
        enough: size,
        everyone: true,
        ask: (node) => node.broadcast(transaction),
        decide: () => true,
        otherwise({ answers, failures }) {
          const refusal = commonRefusal(failures.flatMap(({ error }) => (error instanceof NodeRefusal ? [error] : [])))
          const isFinal = answers.length === 0 && isRefusedByAll(failures)
          if (refusal !== undefined) throw isFinal ? refusal : new PartialRefusal(refusal)
          if (answers.length === 0) throw noAgreement('the broadcast', 1, [], failures)
          return true
        },
      })
    },
    close: () => void quorum.close(),
  }
}

/** The most frequent refusal, in the words of the first provider that gave it. */
function commonRefusal(refusals: readonly NodeRefusal[]): NodeRefusal | undefined {
  const alike = ({ code }: NodeRefusal) => refusals.filter((other) => other.code === code).length
  return refusals.reduce<NodeRefusal | undefined>((most, one) => (most === undefined || alike(one) > alike(most) ? one : most), undefined)
}

function keyOfEvents(events: readonly NodeEvent[]): string {
  return events.map(keyOfEvent).sort().join('\n')
}
