/** One Solana node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import { getTokenDecoder, getTokenEncoder } from '@solana-program/token'
import { type Answers, poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import { noAgreement } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode, openSharedNode, type SharedNodeOptions } from '@tandem/chain-kit/providers/quorum-node.ts'
import { equal, equalOr, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { tokenProgram } from '../../contract/client/programs.ts'
import { chainProblem, genesisHashOf } from '../../terms/nodes/chain-problem.ts'
import { keyOfTransaction } from '../../terms/nodes/read-transaction.ts'
import { newestBlock } from '../blocks.ts'
import type { BroadcastVerdict, NodeAccount, NodeTransaction, Outcome, Simulation, SolanaNode } from './node.ts'
import { lifetimeOf } from './provider-node.ts'
import { keyOfBlock } from './read-blocks.ts'
import { keyOfOrder } from './read-orders.ts'

/** The part of a token account that every payment changes. */
const SIZE = getTokenEncoder().fixedSize

export function createSharedNode(chain: Chain, providers: readonly Provider<SolanaNode>[], options: SharedNodeOptions): SolanaNode {
  const shared = openSharedNode(chain, providers, options, { problemOf: chainProblem, newest: newestBlock, keyOf: keyOfBlock })
  const { quorum } = shared

  return {
    ...createQuorumNode(quorum, {
      accounts: (addresses) => [`the accounts ${addresses.join(', ')}`, equal({ keyOf: keyOfAccounts, pick: fewestLamports })],
      orders: ({ addresses, last }) => [
        `${addresses.length} orders at slot ${last.height}`,
        equal({ keyOf: (orders) => orders.map(keyOfOrder).join('\n') }),
      ],
      balance: (address) => [`the balance of ${address}`, movingNumber('down')],
      tokenBalance: (account) => [`the tokens of ${account}`, movingNumber('down')],
      rentExempt: (bytes) => [`the rent of ${bytes} bytes`, equal()],
      signatures: ({ address, from, to }) => [
        `transactions of ${address} in slots ${from} to ${to}`,
        equal({
          // Too many for one provider are a few less for one that has not indexed the newest yet.
          keyOf: (found) =>
            found
              ?.map(({ signature, slot }) => `${slot} ${signature}`)
              .sort()
              .join('\n') ?? null,
          isImmutable: true,
        }),
      ],
      transactions: (signatures) => [`transactions ${signatures.join(', ')}`, equal({ keyOf: keyOfTransactions, isImmutable: true })],
      outcome: (signature) => [`the outcome of ${signature}`, equal({ keyOf: keyOfOutcome, isImmutable: true })],
      // Mined or valid for one quorum is not expired, whatever another one says.
      isExpired: (signature) => [
        `the expiry of ${signature}`,
        equalOr({ choose: (agreed) => !agreed.includes(false), otherwise: () => false }),
      ],
      priorityFee: () => ['the priority fee', movingNumber('up')],
      simulate: () => ['a simulation', equal({ keyOf: ({ error }) => JSON.stringify(error), pick: mostUnits })],
    }),
    async genesisHash() {
      await shared.verify()
      return genesisHashOf(chain)
    },
    latestBlockhash: async () => lifetimeOf(await shared.newest()),
    finalSlot: async () => (await shared.finalHeight('final', (node) => node.finalSlot())) ?? 0n,
    /** One provider that accepts everything must not hide that the others refuse. */
    broadcast: (transaction) =>
      poll<SolanaNode, BroadcastVerdict, BroadcastVerdict>(quorum.pool, {
        enough: quorum.size,
        everyone: true,
        ask: (node) => node.broadcast(transaction),
        decide: ({ answers }) => (acceptedIn(answers) >= quorum.size ? { kind: 'accepted' } : undefined),
        otherwise: undecidedBroadcast,
      }),
    ...shared.methods,
  }
}

type Verdicts = Answers<SolanaNode, BroadcastVerdict>

/** Fewer than the quorum accepted it. A refusal that another signature cannot mend comes first. */
function undecidedBroadcast({ answers, failures }: Verdicts): BroadcastVerdict {
  if (answers.length === 0) throw noAgreement('sendTransaction', 1, [], failures)
  // A provider that fails, e.g. by a timeout, may have forwarded it before.
  const isPartlyAccepted = acceptedIn(answers) > 0 || failures.length > 0
  const verdicts = answers.map(([, verdict]) => verdict)
  const worst = verdicts.find(({ kind }) => kind === 'refused') ?? verdicts.find(({ kind }) => kind === 'blockhash-not-found')
  return worst === undefined || worst.kind === 'accepted' ? { kind: 'accepted' } : { ...worst, isPartlyAccepted }
}

function acceptedIn(answers: Verdicts['answers']): number {
  return answers.filter(([, { kind }]) => kind === 'accepted').length
}

/** Without lamports and amounts of tokens: anyone can add some at any moment, and providers at different slots would not agree. */
function keyOfAccounts(accounts: readonly (NodeAccount | null)[]): string {
  const keyOf = (account: NodeAccount) => {
    const { owner, executable, data } = withoutAmount(account)
    return `${owner} ${executable} ${Buffer.from(data).toString('base64')}`
  }
  return accounts.map((account) => (account === null ? 'none' : keyOf(account))).join('\n')
}

/** Of the tokens too. */
function fewestLamports(alike: readonly (readonly (NodeAccount | null)[])[]): readonly (NodeAccount | null)[] {
  const [first = []] = alike
  return first.map((account, i) => {
    if (account === null) return null
    const same = alike.map((accounts) => accounts[i] ?? account)
    const lamports = same.map((one) => one.lamports).reduce((least, one) => (one < least ? one : least))
    const { data } = same.reduce((least, one) => (tokenAmountOf(one) < tokenAmountOf(least) ? one : least))
    return { ...account, lamports, data }
  })
}

/** Null if one is missing: a provider that lacks it does not contradict the others. */
function keyOfTransactions(transactions: readonly (NodeTransaction | null)[]): string | null {
  const keys = transactions.map((one) => (one === null ? null : keyOfTransaction(one)))
  return keys.includes(null) ? null : keys.join('\n')
}

function keyOfOutcome(outcome: Outcome | null): string | null {
  return outcome === null ? null : `${outcome.slot} ${JSON.stringify(outcome.error)}`
}

/** Too few would make the transaction fail. The price of too many is capped. */
function mostUnits(alike: readonly Simulation[]): Simulation {
  return alike.reduce((most, one) => (one.unitsConsumed > most.unitsConsumed ? one : most))
}

/** 0 for any other account. */
function tokenAmountOf(account: NodeAccount): bigint {
  return isTokenAccount(account) ? getTokenDecoder().decode(account.data).amount : 0n
}

function withoutAmount(account: NodeAccount): NodeAccount {
  if (!isTokenAccount(account)) return account
  return { ...account, data: getTokenEncoder().encode({ ...getTokenDecoder().decode(account.data), amount: 0n }) }
}

function isTokenAccount({ owner, data }: NodeAccount): boolean {
  return owner === tokenProgram && data.length === SIZE
}
