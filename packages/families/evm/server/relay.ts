/** Relays initiations that users signed: over the terms alone, where an allowance is there, or by one of the offered ways. */

import type { Executor } from '@tandem/chain-kit/contract/execute.ts'
import type { Gasless } from '@tandem/chain-kit/port/abilities/gasless.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { canonicalTerms, type HtlcContract, initiateWithSignatureData } from '../terms/htlc.ts'
import type { ContractState } from './contract-state.ts'
import type { Action } from './execute.ts'
import { verifyRelayGas } from './fees/relay-gas.ts'
import { limitsOf, spendableOf, verifyInitiation, verifySignature } from './gasless.ts'
import type { EvmNode } from './nodes/node.ts'
import { type Given, parseGiven } from './one-signature/given-signature.ts'
import type { OneSignature } from './one-signature/one-signature.ts'
import { limitsOfOffered, type OfferedInitiation, spendableByOffered, verifyOffered } from './one-signature/verify-offered.ts'
import type { TransactionCall } from './send/transaction.ts'

export type GaslessOptions = {
  readonly chain: Chain
  readonly node: EvmNode
  readonly state: ContractState
  readonly ways: OneSignature
  readonly contractOf: (of: { readonly asset: AssetId }) => HtlcContract
  readonly executor: Executor<Action>
}

export function createGasless({ chain, node, state, ways, contractOf, executor }: GaslessOptions): Gasless {
  async function callOf(terms: HtlcTerms, given: Given, deadline: bigint | undefined): Promise<TransactionCall> {
    const contract = contractOf(terms)
    const data =
      given.way === 'terms'
        ? initiateWithSignatureData(terms, given.signature)
        : await ways.callData(contract, terms, given, needed(deadline))
    return { to: contract.address, data, value: 0n }
  }

  async function limits(terms: HtlcTerms, given: Given, deadline: bigint | undefined) {
    const contract = contractOf(terms)
    return given.way === 'terms' ? limitsOf(contract, terms, given.signature) : limitsOfOffered(node, ways, offered(terms, given, deadline))
  }

  function offered(terms: HtlcTerms, given: OfferedInitiation['given'], deadline: bigint | undefined): OfferedInitiation {
    return { contract: contractOf(terms), terms, given, deadline: needed(deadline) }
  }

  return {
    supports: (asset) => contractOf({ asset }).token !== null,
    async verify(terms, signature, deadline) {
      const contract = contractOf(terms)
      const given = parseGiven(signature)
      if (given.way === 'terms') {
        await verifySignature(node, contract, terms, given.signature)
        await verifyInitiation(node, state, contract, terms, given.signature)
      } else {
        await verifyOffered(node, state, ways, offered(terms, given, deadline))
      }
      await verifyRelayGas(node, chain, await callOf(terms, given, deadline))
    },
    async initiate(terms, signature, outbox, deadline) {
      const contract = contractOf(terms)
      const given = parseGiven(signature)
      const call = await callOf(terms, given, deadline)
      const { reverted: revertsPaidFor } = await limits(terms, given, deadline)
      const tx = await executor.send({ verb: 'initiate', contract, terms, call, paysAmount: false, revertsPaidFor }, outbox)
      const isInitiated = async () => (await state.htlc(contract, terms)) !== 'absent'
      if (given.way !== 'terms' && contract.token !== null)
        ways.follow(contract.token, given.way, { tx, owner: canonicalTerms(terms).initiator, isInitiated })
      return tx
    },
    limits: async (terms, signature, deadline) => limits(terms, parseGiven(signature), deadline),
    async spendable(terms, deadline, signature) {
      const contract = contractOf(terms)
      const given = signature === undefined ? null : parseGiven(signature)
      if (given === null || given.way === 'terms') return spendableOf(state, contract, terms)
      return spendableByOffered(state, ways, offered(terms, given, deadline))
    },
    offers: async (asset) => ways.waysOf(contractOf({ asset })),
    hasReverted: async (tx) => (await node.outcome(tx)) === 'reverted',
  }
}

/** What is signed beside the terms has the deadline of the order in it. */
function needed(deadline: bigint | undefined): bigint {
  if (deadline === undefined) throw new Error('an offered signature without the deadline of its order')
  return deadline
}
