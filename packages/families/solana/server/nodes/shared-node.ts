/** Makes one Solana node of several providers. It works while some are dead, slow or behind, and with a quorum while some of them lie. */

import { getTokenDecoder, getTokenEncoder } from '@solana-program/token'
import type { Provider } from '@tandem/chain-kit/providers/pool.ts'
import { createQuorumNode, openSharedNode, type SharedNodeOptions } from '@tandem/chain-kit/providers/quorum-node.ts'
import { acceptedByQuorum, equal, equalOr, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { tokenProgram } from '../../contract/client/programs.ts'
import { chainProblem, genesisHashOf } from '../../terms/nodes/chain-problem.ts'
import { keyOfTransaction } from '../../terms/nodes/read-transaction.ts'
import { newestBlock } from '../blocks.ts'
import type { NodeAccount, NodeTransaction, Outcome, Simulation, SolanaNode } from './node.ts'
import { lifetimeOf } from './provider-node.ts'
import { keyOfBlock } from './read-blocks.ts'
import { keyOfOrder } from './read-orders.ts'

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
          // One provider may not have indexed the newest transaction yet. It then counts one fewer, and may still be below the limit.
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
      // If one quorum says that it is mined or valid, it is not expired, even if another quorum says so.
      isExpired: (signature) => [
        `the expiry of ${signature}`,
        equalOr({ choose: (agreed) => !agreed.includes(false), otherwise: () => false }),
      ],
      priorityFee: () => ['the priority fee', movingNumber('up')],
      simulate: () => ['a simulation', equal({ keyOf: ({ error }) => JSON.stringify(error), pick: maxUnits })],
      // A refusal comes first, because another signature cannot mend it.
      broadcast: () => ['sendTransaction', acceptedByQuorum(['refused', 'blockhash-not-found'])],
    }),
    async genesisHash() {
      await shared.verify()
      return genesisHashOf(chain)
    },
    latestBlockhash: async () => lifetimeOf(await shared.newest()),
    finalSlot: async () => (await shared.finalHeight('final', (node) => node.finalSlot())) ?? 0n,
    ...shared.methods,
  }
}

/** The key has no lamports and no token amounts: anyone can add some at any moment, and providers would not agree. */
function keyOfAccounts(accounts: readonly (NodeAccount | null)[]): string {
  const keyOf = (account: NodeAccount) => {
    const { owner, executable, data } = withoutAmount(account)
    return `${owner} ${executable} ${Buffer.from(data).toString('base64')}`
  }
  return accounts.map((account) => (account === null ? 'none' : keyOf(account))).join('\n')
}

/** The smallest token amounts are used too. */
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

/** The key is null if a transaction is missing: a provider that lacks it does not contradict the others. */
function keyOfTransactions(transactions: readonly (NodeTransaction | null)[]): string | null {
  const keys = transactions.map((one) => (one === null ? null : keyOfTransaction(one)))
  return keys.includes(null) ? null : keys.join('\n')
}

function keyOfOutcome(outcome: Outcome | null): string | null {
  return outcome === null ? null : `${outcome.slot} ${JSON.stringify(outcome.error)}`
}

/** Too few units would make the transaction fail. The price of too many is capped. */
function maxUnits(alike: readonly Simulation[]): Simulation {
  return alike.reduce((most, one) => (one.unitsConsumed > most.unitsConsumed ? one : most))
}

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
