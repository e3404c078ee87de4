/** One node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { checkProviders } from '@tandem/chain-kit/providers/check-providers.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import { poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import { noAgreement } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { equal, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import { networkIdOf } from '../../terms/network.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { keyOfChange } from '../../terms/nodes/read-escrow.ts'
import { combineSubmissions, isAccepted, validatedByQuorum } from './agreement.ts'
import type { Submission, XrplNode } from './node.ts'

export type SharedNodeOptions = {
  /** How many providers must agree where money depends on it. One fewer may lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

export function createSharedNode(
  chain: Chain,
  providers: readonly Provider<XrplNode>[],
  { quorum: size, ...options }: SharedNodeOptions,
): XrplNode {
  const problemOf = (node: XrplNode) => chainProblem(chain, node)
  const quorum = openQuorum(chain.id, providers, { size, problemOf, ...options })
  const blocks = createAgreedBlocks<XrplNode, Block>(quorum, {
    newest: newestOf,
    all: (node, heights) => node.blocks(heights),
    keyOf: keyOfBlock,
    heightsMaySkip: chain.heightsMaySkip,
    allowedLag: allowedLagOf(chain),
  })
  const fixed = { isImmutable: true } as const

  return {
    ...createQuorumNode(quorum, {
      hasLedger: (height) => [`ledger ${height} of the history`, equal()],
      reserves: () => ['the reserves', equal({ keyOf: ({ base, increment }) => `${base} ${increment}` })],
      fee: () => ['the fee', movingNumber('up')],
      account: (address, ledger) => [
        `the account ${address} at ledger ${ledger}`,
        equal({ keyOf: (account) => keyOfFields(account), ...fixed }),
      ],
      escrow: (owner, sequence, ledger) => [
        `the escrow ${sequence} of ${owner} at ledger ${ledger}`,
        equal({ keyOf: (escrow) => (escrow === 'other' ? escrow : keyOfFields(escrow)), ...fixed }),
      ],
      escrowChanges: (account, from, to) => [
        `the transactions of ${account} in ledgers ${from} to ${to}`,
        equal({ keyOf: (changes) => changes.map(keyOfChange).join('\n'), ...fixed }),
      ],
      outcome: (tx) => [`the outcome of ${tx}`, validatedByQuorum],
      isAbsent: (tx) => [`the absence of ${tx}`, equal()],
    }),
    async networkId() {
      await checkProviders(chain.id, providers, size, problemOf)
      return networkIdOf(chain)
    },
    block: (height) => (height === 'validated' ? blocks.newest() : blocks.at(height)),
    glimpse: blocks.glimpse,
    blocks: blocks.all,
    submit: (blob) =>
      poll<XrplNode, Submission, Submission>(quorum.pool, {
        enough: size,
        everyone: true,
        ask: (node) => node.submit(blob),
        decide({ answers }) {
          const accepted = answers.map(([, submission]) => submission).filter(isAccepted)
          return accepted.length >= size ? accepted[0] : undefined
        },
        otherwise({ answers, failures }) {
          const submissions = answers.map(([, submission]) => submission)
          const combined = combineSubmissions(submissions, failures.length > 0)
          if (combined === undefined) throw noAgreement('the submission', 1, [], failures)
          return combined
        },
      }),
    close: () => void quorum.close(),
  }
}

export async function newestOf(node: Pick<XrplNode, 'block'>): Promise<Block> {
  const block = await node.block('validated')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no validated ledger')
  return block
}

/** The whole header: a false time beside a true hash must not pass as the same ledger. */
function keyOfBlock({ height, hash, parentHash, time }: Block): string {
  return [height, hash, parentHash, time].join(' ')
}

function keyOfFields(fields: object | null): string {
  return fields === null ? 'none' : Object.values(fields).join(' ')
}
