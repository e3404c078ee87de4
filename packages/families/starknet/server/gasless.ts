/** Checks a user's signed initiation as strictly as the contract does, before anyone pays a fee for it. */

import type { Gasless } from '@tandem/chain-kit/port/abilities/gasless.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type RelayLimits, relayLimits } from '@tandem/protocol/relay-limits.ts'
import type { Felt } from '../contract/client/felt.ts'
import { type Address, feltOf } from '../terms/address.ts'
import { type Contracts, digestOf, type HtlcContract, signedInitiateCallOf } from '../terms/htlc.ts'
import { askAccount } from './account-signature.ts'
import type { ContractState } from './contract-state.ts'
import type { StarknetExecutor } from './execute.ts'
import { assertRelayGas, estimateCalls } from './fees/gas.ts'
import { type Given, parseGiven } from './given-signature.ts'
import type { NodeCall, StarknetNode } from './nodes/node.ts'
import type { OutsideExecutions, SignedOutside } from './outside-execution/outside-execution.ts'
import { asChainFailure } from './refusal.ts'

type Parts = {
  readonly node: StarknetNode
  readonly state: ContractState
  readonly contracts: Contracts
  readonly executor: Pick<StarknetExecutor, 'relay'>
  readonly outside: OutsideExecutions
  /** This account relays. If it is null, because it is not known yet, the gas is checked when the swap is relayed. */
  readonly relay: Address | null
  readonly accountClass: string
}

export function createGasless({ node, state, contracts, executor, outside, relay, accountClass }: Parts): Gasless {
  /** Null means that the user signed the terms, for which the allowance is there. */
  function outsideOf(terms: HtlcTerms, { way, signature }: Given, deadline: bigint | undefined): SignedOutside | null {
    if (way === 'terms') return null
    if (deadline === undefined) throw new Error('an outside execution without the deadline of its order')
    return { contract: contracts.of(terms.asset), terms, given: { way, signature }, deadline }
  }

  async function verifyTerms(contract: HtlcContract, terms: HtlcTerms, signature: readonly Felt[]): Promise<void> {
    await verifySignature(node, contract, terms, signature)
    if ((await state.htlc(contract, terms)) !== 'absent') return
    await verifyFunds(state, contract, terms)
    const call = signedInitiateCallOf(contract, terms, signature)
    await verifyCall(node, call)
    if (relay !== null) await verifyGas(node, relay, call)
  }

  return {
    supports: () => true,
    async verify(terms, text, deadline) {
      const given = parseGiven(text)
      const signed = outsideOf(terms, given, deadline)
      if (signed !== null) return outside.verify(signed)
      return verifyTerms(contracts.of(terms.asset), terms, given.signature)
    },
    async initiate(terms, text, outbox, deadline) {
      const contract = contracts.of(terms.asset)
      const given = parseGiven(text)
      const signed = outsideOf(terms, given, deadline)
      const call = signed === null ? signedInitiateCallOf(contract, terms, given.signature) : outside.callOf(signed)
      const { reverted: revertsPaidFor } = await limitsOf(node, accountClass, terms)
      return executor.relay(contract, terms, call, outbox, { revertsPaidFor })
    },
    limits: (terms) => limitsOf(node, accountClass, terms),
    async spendable(terms, _deadline, text) {
      const contract = contracts.of(terms.asset)
      if ((await state.htlc(contract, terms)) !== 'absent') return null
      const { balance, allowance } = await fundsOf(state, contract, terms)
      // An outside execution approves what it takes.
      if (text !== undefined && parseGiven(text).way !== 'terms') return balance
      return balance < allowance ? balance : allowance
    },
    offers: async () => outside.ways,
    hasReverted: async (tx) => (await node.outcome(tx))?.kind === 'reverted',
  }
}

async function verifySignature(node: StarknetNode, contract: HtlcContract, terms: HtlcTerms, signature: readonly Felt[]): Promise<void> {
  const { initiator } = terms
  const answer = await askAccount(node, initiator, digestOf(contract, terms), signature)
  if (answer === 'not deployed')
    throw new TandemError('bad_request', `the account ${initiator} is not deployed, so it cannot verify a signature: deploy it first`)
  if (answer === 'refused')
    throw new TandemError('invalid_signature', `the account ${initiator} does not accept the signature for the typed_data of this order`)
}

/** Every account is a contract that decides about the signature. Only a class that is known to decide by a key alone gives the same answer when it is mined. */
async function limitsOf(node: StarknetNode, accountClass: string, { initiator }: HtlcTerms): Promise<RelayLimits> {
  const isKnown = (await node.classHashAt(feltOf(initiator))) === feltOf(accountClass)
  return isKnown ? relayLimits.byKey : relayLimits.byContract
}

/** Throws unless the initiation would succeed now, from any sender: the contract does not check the sender. */
async function verifyCall(node: StarknetNode, call: NodeCall): Promise<void> {
  try {
    await node.call(call)
  } catch (error) {
    throw asRefused(asChainFailure(error, 'initiate'), 'the initiation would fail on the chain')
  }
}

async function verifyGas(node: StarknetNode, relay: Address, call: NodeCall): Promise<void> {
  try {
    assertRelayGas('initiate', await estimateCalls(node, feltOf(relay), { calls: [call] }))
  } catch (error) {
    throw asRefused(asChainFailure(error, 'initiate'), 'the initiation is not paid for; execute initiate_transaction instead')
  }
}

function asRefused(failure: unknown, what: string): unknown {
  if (!(failure instanceof ChainFailure) || failure.kind !== 'would-fail') return failure
  return new TandemError('bad_request', `${what}: ${failure.message}`, { cause: failure })
}

async function verifyFunds(state: ContractState, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const { initiator, asset, amount } = terms
  const { balance, allowance } = await fundsOf(state, contract, terms)
  if (balance < amount)
    throw new TandemError(
      'bad_request',
      `${initiator} holds ${balance} of ${asset}, the order needs ${amount}: pay in the difference, then repeat this call`,
    )
  if (allowance < amount)
    throw new TandemError(
      'bad_request',
      `${initiator} has approved ${allowance} of ${asset}, the order needs ${amount}: send approval_transaction first`,
    )
}

async function fundsOf(state: ContractState, { token, address }: HtlcContract, { initiator }: HtlcTerms) {
  const owner = feltOf(initiator)
  const [balance, allowance] = await Promise.all([state.tokenBalance(token, owner), state.allowance(token, owner, address)])
  return { balance, allowance }
}
