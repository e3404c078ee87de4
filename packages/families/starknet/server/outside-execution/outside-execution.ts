/** Relays outside executions (SNIP-9): what is offered to whom, and whether what comes back is good. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { SignatureOffer } from '@tandem/protocol/funding/signature-offer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type TypedData, typedData } from 'starknet'
import { htlcErrors } from '../../contract/client/errors.ts'
import type { Felt } from '../../contract/client/felt.ts'
import { type Address, feltOf } from '../../terms/address.ts'
import { type HtlcContract, refundCallOf } from '../../terms/htlc.ts'
import {
  type OutsideExecution,
  type OutsideWay,
  outsideCall,
  outsideExecutionOf,
  outsideTypedData,
  outsideWays,
} from '../../terms/outside-execution.ts'
import { askAccount } from '../account-signature.ts'
import type { ContractState } from '../contract-state.ts'
import { assertRelayGas, estimateCalls } from '../fees/gas.ts'
import type { Given } from '../given-signature.ts'
import type { NodeCall, StarknetNode } from '../nodes/node.ts'
import { asChainFailure, isRevert, revertReason } from '../refusal.ts'
import { createRefusedAccounts } from './refused-accounts.ts'
import { supportedWay } from './supported-ways.ts'

export type SignedOutside = {
  readonly contract: HtlcContract
  readonly terms: HtlcTerms
  readonly given: Given & { readonly way: OutsideWay }
  readonly deadline: bigint
}

export interface OutsideExecutions {
  /** The ways that some accounts take. Whether one does is known with an order. */
  readonly ways: readonly OutsideWay[]
  /** Empty if the initiator's account takes none. */
  offersOf(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Promise<readonly SignatureOffer[]>
  /** Throws unless the account would approve and initiate now, or the swap is initiated already. */
  verify(signed: SignedOutside): Promise<void>
  callOf(signed: SignedOutside): NodeCall
}

type Parts = {
  readonly node: StarknetNode
  readonly state: ContractState
  /** Accounts take an execution from this account only. Null means that it is not known, and that nothing is offered. */
  readonly relay: Address | null
}

const OTHERWISE = 'send approval_transaction and sign typed_data, or execute initiate_transaction'

export function createOutsideExecutions({ node, state, relay }: Parts): OutsideExecutions {
  const refused = createRefusedAccounts()

  function executionOf(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): OutsideExecution {
    if (relay === null) throw new TandemError('bad_request', `the service has no account here that could relay: ${OTHERWISE}`)
    return outsideExecutionOf(contract, terms, relay, deadline)
  }

  function callOf({ contract, terms, given, deadline }: SignedOutside): NodeCall {
    return outsideCall(given.way, terms.initiator, executionOf(contract, terms, deadline), given.signature)
  }

  async function verifySignature({ contract, terms, given, deadline }: SignedOutside): Promise<void> {
    const { initiator } = terms
    const data = outsideTypedData(given.way, contract.chainId, executionOf(contract, terms, deadline))
    const digest = typedData.getMessageHash(data as unknown as TypedData, initiator) as Felt
    const answer = await askAccount(node, initiator, digest, given.signature)
    if (answer === 'not deployed')
      throw new TandemError('bad_request', `the account ${initiator} is not deployed, so it cannot verify a signature: deploy it first`)
    if (answer === 'refused')
      throw new TandemError(
        'invalid_signature',
        `the account ${initiator} does not accept the signature for the ${given.way} of this order in signature_offers`,
      )
  }

  async function verifyFunds({ contract, terms: { initiator, asset, amount } }: SignedOutside): Promise<void> {
    const balance = await state.tokenBalance(contract.token, feltOf(initiator))
    if (balance < amount)
      throw new TandemError(
        'bad_request',
        `${initiator} holds ${balance} of ${asset}, the order needs ${amount}: pay in the difference, then repeat this call`,
      )
  }

  async function verifyRelay(signed: SignedOutside): Promise<void> {
    const { contract, terms, deadline } = signed
    const { caller } = executionOf(contract, terms, deadline)
    const call = callOf(signed)
    const trial = (...calls: readonly NodeCall[]) => estimateCalls(node, caller, { calls })
    const [alone, refunded] = await Promise.allSettled([trial(call), trial(call, refundCallOf(contract, terms))])
    if (alone.status === 'rejected') throw asRefused(asChainFailure(alone.reason, 'initiate'), 'the initiation would fail on the chain')
    try {
      assertRelayGas('initiate', alone.value)
    } catch (error) {
      throw asRefused(error, `the initiation is not paid for; ${OTHERWISE}`)
    }
    // A refund finds an order that is open and not expired, so the account has initiated it. It may also report success and do nothing.
    const failure: unknown = refunded.status === 'rejected' ? refunded.reason : null
    if (failure !== null && !isRevert(failure)) throw asChainFailure(failure, 'initiate')
    if (failure === null || revertReason(failure) !== htlcErrors.orderNotExpired)
      throw new TandemError(
        'bad_request',
        `the account ${terms.initiator} takes the ${signed.given.way}, and does not initiate: ${OTHERWISE}`,
      )
  }

  return {
    ways: relay === null ? [] : outsideWays,
    callOf,
    async offersOf(contract, terms, deadline) {
      if (relay === null || refused.isRefused(feltOf(terms.initiator))) return []
      const execution = executionOf(contract, terms, deadline)
      try {
        const offer = await supportedWay(node, feltOf(terms.initiator), execution)
        return offer === null ? [] : [{ offer, typedData: [outsideTypedData(offer, contract.chainId, execution)] }]
      } catch (error) {
        // An order needs no offer: its other instructions are complete.
        if (error instanceof ChainFailure) return []
        throw error
      }
    },
    async verify(signed) {
      const { contract, terms, deadline } = signed
      await verifySignature(signed)
      if ((await state.htlc(contract, terms)) !== 'absent') return
      await verifyFunds(signed)
      try {
        await verifyRelay(signed)
      } catch (error) {
        // What was signed has expired by then, whatever the account does.
        const isInTime = BigInt(Math.floor(Date.now() / 1000)) < deadline
        if (error instanceof TandemError && isInTime) refused.refuse(feltOf(terms.initiator))
        throw error
      }
    },
  }
}

function asRefused(failure: unknown, what: string): unknown {
  if (!(failure instanceof ChainFailure) || failure.kind !== 'would-fail') return failure
  return new TandemError('bad_request', `${what}: ${failure.message}`, { cause: failure })
}
