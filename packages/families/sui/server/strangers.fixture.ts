/**
 * Shows how strangers initiate at our registry: payer, coins, objects, and other commands. The chain is a simulator with the module in
 * TypeScript; the scenarios of packages/families/sui/contract show that the Move module does the same.
 */
import { Inputs, Transaction, type TransactionArgument, type TransactionObjectArgument } from '@mysten/sui/transactions'
import { SUI_CLOCK_OBJECT_ID } from '@mysten/sui/utils'
import { each, onlyWay, RefusedByChain, type StrangersWay, strangersWay } from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import fc from 'fast-check'
import { callFunction, clockArgument, functionNames, registryArgument } from '../contract/client/calls.ts'
import { parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { orderTermsOf } from '../terms/htlc.ts'
import type { Deployed } from './deployments.ts'
import type { FamilyFixture, TestParty } from './sui.fixture.ts'

type Arguments = {
  readonly registry?: (tx: Transaction) => TransactionArgument
  readonly secretHash?: Uint8Array
  readonly coin?: TransactionObjectArgument
  readonly clock?: (tx: Transaction) => TransactionArgument
}

export function suiWays(fixture: FamilyFixture, deployed: Deployed, twin: Deployed): readonly StrangersWay[] {
  const { devnet, user } = fixture
  const { coinType } = deployed
  const isSui = coinType === SUI_TYPE
  const [, , third] = devnet.accounts
  const stranger = { keypair: third.keypair, address: parseAddress(third.address) }
  type Payer = Pick<TestParty, 'keypair' | 'address'>

  /** The coins are those that this transaction may spend, merged. SUI is in the gas. */
  async function wealth(tx: Transaction, { address }: Payer): Promise<TransactionObjectArgument> {
    if (isSui) return tx.gas
    const { objects } = await devnet.client.listCoins({ owner: address, coinType })
    const [first, ...others] = objects.map(({ objectId, version, digest }) => tx.object(Inputs.ObjectRef({ objectId, version, digest })))
    if (first === undefined) throw new Error('the payer has no coins')
    if (others.length > 0) tx.mergeCoins(first, others)
    return first
  }
  function split(tx: Transaction, from: TransactionObjectArgument, amount: bigint): TransactionObjectArgument {
    const [coin] = tx.splitCoins(from, [tx.pure.u64(amount)])
    if (coin === undefined) throw new Error('splitting a coin gave none')
    return coin
  }
  function initiate(tx: Transaction, terms: HtlcTerms, coin: TransactionObjectArgument, others: Arguments = {}): void {
    const { initiator, redeemer, secretHash, amount, timelock } = orderTermsOf(terms)
    callFunction(tx, deployed, functionNames.initiate, [
      (others.registry ?? (() => registryArgument(tx, deployed, true)))(tx),
      tx.pure.address(initiator),
      tx.pure.address(redeemer),
      tx.pure.vector('u8', others.secretHash ?? Buffer.from(secretHash, 'hex')),
      tx.pure.u64(amount),
      tx.pure.u64(timelock),
      coin,
      (others.clock ?? clockArgument)(tx),
    ])
  }
  async function send(payer: Payer, build: (tx: Transaction, from: TransactionObjectArgument) => void): Promise<void> {
    const tx = new Transaction()
    build(tx, await wealth(tx, payer))
    try {
      await fixture.execute(payer as TestParty, tx)
    } catch (error) {
      throw new RefusedByChain(String(error))
    }
    // The versions of the payer's coins are those of the newest checkpoint.
    devnet.chain.mine()
  }
  const changed = (name: string, outcome: 'counts' | 'never', others: Arguments) =>
    onlyWay(name, outcome, ({ terms }) => send(user, (tx, from) => initiate(tx, terms, split(tx, from, terms.amount), others)))

  return [
    strangersWay('paid by another account', {
      outcome: 'counts',
      choices: fc.constant(null),
      initiate: ({ terms }) => send(stranger, (tx, from) => initiate(tx, terms, split(tx, from, terms.amount))),
    }),
    strangersWay('with a coin that was split and merged', {
      outcome: 'counts',
      choices: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 }),
      initiate: ({ terms }, shares) =>
        send(user, (tx, from) => {
          const parts = shares.map((share) => (terms.amount * BigInt(share)) / 1000n)
          const whole = split(tx, from, terms.amount - parts.reduce((sum, part) => sum + part, 0n))
          tx.mergeCoins(
            whole,
            parts.map((part) => split(tx, from, part)),
          )
          initiate(tx, terms, whole)
        }),
    }),
    strangersWay('among others in one transaction', {
      outcome: 'counts',
      choices: fc.record({ before: fc.nat(3), after: fc.nat(3) }),
      initiate: ({ terms }, { before, after }) =>
        send(user, (tx, from) => {
          const all = Array.from({ length: before + after + 1 }, (_, i) => terms.amount + BigInt(i === before ? 0 : i + 1))
          for (const amount of all) initiate(tx, { ...terms, amount }, split(tx, from, amount))
        }),
    }),
    strangersWay('after coins were sent to the registry', {
      outcome: 'counts',
      choices: fc.bigInt(1n, 1000n),
      initiate: ({ terms }, amount) =>
        send(user, (tx, from) => {
          tx.transferObjects([split(tx, from, amount)], deployed.registry)
          initiate(tx, terms, split(tx, from, terms.amount))
        }),
    }),
    strangersWay('with a coin of another value', {
      outcome: 'never',
      ...each(-1n, 1n),
      initiate: ({ terms }, more) => send(user, (tx, from) => initiate(tx, terms, split(tx, from, terms.amount + more))),
    }),
    strangersWay('with a secret hash of another length', {
      outcome: 'never',
      ...each(0, 31, 33, 64),
      initiate: ({ terms }, length) =>
        send(user, (tx, from) => {
          const secretHash = Buffer.alloc(length)
          Buffer.from(terms.secretHash, 'hex').copy(secretHash)
          initiate(tx, terms, split(tx, from, terms.amount), { secretHash })
        }),
    }),
    ...(isSui
      ? []
      : [
          onlyWay('with a coin of another type', 'never', ({ terms }) =>
            send(user, (tx) => initiate(tx, terms, split(tx, tx.gas, terms.amount))),
          ),
        ]),
    changed('at another registry of the coin', 'never', { registry: (tx) => registryArgument(tx, twin, true) }),
    changed('at a registry that is only read', 'never', { registry: (tx) => registryArgument(tx, deployed, false) }),
    changed('with a clock that may be changed', 'never', {
      clock: (tx) => tx.object(Inputs.SharedObjectRef({ objectId: SUI_CLOCK_OBJECT_ID, initialSharedVersion: 1, mutable: true })),
    }),
    changed('with the registry as the clock', 'never', { clock: (tx) => registryArgument(tx, deployed, true) }),
  ]
}
