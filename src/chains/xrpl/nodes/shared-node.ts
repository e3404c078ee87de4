/** One node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */
import type { Block, Chain } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from '../../providers/agreed-blocks.ts'
import { checkProviders } from '../../providers/check-providers.ts'
import { openQuorum } from '../../providers/open-quorum.ts'
import { poll } from '../../providers/poll.ts'
import type { Provider } from '../../providers/provider.ts'
import { noAgreement } from '../../providers/quorum.ts'
import { createQuorumNode } from '../../providers/quorum-node.ts'
import { equal, movingNumber } from '../../providers/rules.ts'
import { networkIdOf } from '../network.ts'
import { combineSubmissions, isAccepted, validatedByQuorum } from './agreement.ts'
import { chainProblem } from './chain-problem.ts'
import type { Submission, XrplNode } from './node.ts'
import { keyOfChange } from './read-escrow.ts'

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
