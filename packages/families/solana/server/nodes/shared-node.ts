/** One Solana node over several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { checkProviders } from '@tandem/chain-kit/providers/check-providers.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import { type Answers, poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import { noAgreement } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { equal, equalOr, finalHeight, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { chainProblem, genesisHashOf } from '../../terms/nodes/chain-problem.ts'
import { keyOfTransaction } from '../../terms/nodes/read-transaction.ts'
import type { BroadcastVerdict, NodeAccount, NodeTransaction, Outcome, Simulation, SlotBlock, SolanaNode } from './node.ts'
import { lifetimeOf } from './provider-node.ts'
import { keyOfBlock } from './read-blocks.ts'
import { keyOfOrder } from './read-orders.ts'
import { tokenAmountOf, withoutAmount } from './token-amount.ts'

export type SharedNodeOptions = {
  /** How many providers must agree where money depends on it. One fewer may lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
}

export function createSharedNode(
  chain: Chain,
  providers: readonly Provider<SolanaNode>[],
  { quorum: size, onTrouble }: SharedNodeOptions,
): SolanaNode {
  const problemOf = (node: SolanaNode) => chainProblem(chain, node)
  const quorum = openQuorum(chain.id, providers, { size, problemOf, onTrouble })
  const allowedLag = allowedLagOf(chain)
  const blocks = createAgreedBlocks<SolanaNode, SlotBlock>(quorum, {
    async newest(node) {
      const block = await node.block('latest')
      if (block === null) throw new ChainFailure('unreachable', 'it has no block')
      return block
    },
    all: (node, slots) => node.blocks(slots),
    keyOf: keyOfBlock,
    heightsMaySkip: chain.heightsMaySkip,
    allowedLag,
  })

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
      await checkProviders(chain.id, providers, size, problemOf)
      return genesisHashOf(chain)
    },
    block: (slot) => (slot === 'latest' ? blocks.newest() : blocks.at(slot)),
    glimpse: blocks.glimpse,
    blocks: blocks.all,
    latestBlockhash: async () => lifetimeOf(await blocks.newest()),
    /** No slot above the newest block can be final. A provider that claims one far above it is suspended; slightly above counts as the newest. */
    async finalSlot() {
      const newest = (await blocks.newest()).height
      const ask = async (node: SolanaNode) => {
        const slot = await node.finalSlot()
        if (slot > newest + allowedLag) throw new ChainFailure('unreachable', `it calls slot ${slot} final, and the newest is ${newest}`)
        return slot > newest ? newest : slot
      }
      return (await finalHeight(quorum, { what: 'the finalized slot', ask })) ?? 0n
    },
    /** One provider that accepts everything must not hide that the others refuse. */
    broadcast: (transaction) =>
      poll<SolanaNode, BroadcastVerdict, BroadcastVerdict>(quorum.pool, {
        enough: size,
        everyone: true,
        ask: (node) => node.broadcast(transaction),
        decide: ({ answers }) => (acceptedIn(answers) >= size ? { kind: 'accepted' } : undefined),
        otherwise: undecidedBroadcast,
      }),
    close: () => void quorum.close(),
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
