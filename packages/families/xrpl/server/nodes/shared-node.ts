/** Makes one node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/pool.ts'
import { noAgreement, type Rule } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode, openSharedNode, type SharedNodeOptions } from '@tandem/chain-kit/providers/quorum-node.ts'
import { byDecision, equal, mostFrequent, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import { networkIdOf } from '../../terms/network.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { keyOfChange } from '../../terms/nodes/read-escrow.ts'
import { verdictOn } from './engine-result.ts'
import type { Outcome, Submission, XrplNode } from './node.ts'

/**
 * A transaction is validated if a quorum says so, with the same result. Otherwise it is pending if a quorum knows it at all, and else
 * unknown: sending it again does no harm.
 */
export const validatedByQuorum: Rule<Outcome | null> = byDecision((size) => {
  const keyOf = (outcome: Outcome | null) => (outcome?.kind === 'failed' ? outcome.result : (outcome?.kind ?? 'unknown'))
  return {
    decide: (outcomes) => outcomes.find((one) => outcomes.filter((other) => keyOf(other) === keyOf(one)).length >= size),
    otherwise: (outcomes) => (outcomes.filter((one) => one !== null).length >= size ? { kind: 'pending' } : null),
  }
})

export function createSharedNode(chain: Chain, providers: readonly Provider<XrplNode>[], options: SharedNodeOptions): XrplNode {
  const shared = openSharedNode(chain, providers, options, { problemOf: chainProblem, newest: newestOf, keyOf: keyOfBlock })
  const { quorum } = shared
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
      await shared.verify()
      return networkIdOf(chain)
    },
    submit: (blob) =>
      poll<XrplNode, Submission, Submission>(quorum.pool, {
        enough: quorum.size,
        everyone: true,
        ask: (node) => node.submit(blob),
        decide({ answers }) {
          const accepted = answers.map(([, submission]) => submission).filter(isAccepted)
          return accepted.length >= quorum.size ? accepted[0] : undefined
        },
        otherwise({ answers, failures }) {
          const submissions = answers.map(([, submission]) => submission)
          const combined = combineSubmissions(submissions, failures.length > 0)
          if (combined === undefined) throw noAgreement('the submission', 1, [], failures)
          return combined
        },
      }),
    ...shared.methods,
  }
}

export async function newestOf(node: Pick<XrplNode, 'block'>): Promise<Block> {
  const block = await node.block('validated')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no validated ledger')
  return block
}

/** The key has the whole header: a false time beside a true hash must not pass as the same ledger. */
function keyOfBlock({ height, hash, parentHash, time }: Block): string {
  return [height, hash, parentHash, time].join(' ')
}

function keyOfFields(fields: object | null): string {
  return fields === null ? 'none' : Object.values(fields).join(' ')
}

function isAccepted({ result }: Submission): boolean {
  return verdictOn(result) === 'accepted'
}

/**
 * If fewer than a quorum accepted it, the result is the most frequent refusal: one provider that accepts everything must not hide that the
 * others refuse. `mayHaveIt` means that a provider failed and may have forwarded it.
 */
export function combineSubmissions(submissions: readonly Submission[], mayHaveIt: boolean): Submission | undefined {
  const refused = submissions.filter((one) => !isAccepted(one))
  const common = mostFrequent(refused, ({ result }) => result)
  if (common === undefined) return submissions[0]
  return { result: common.result, isPartlyAccepted: refused.length < submissions.length || mayHaveIt }
}
