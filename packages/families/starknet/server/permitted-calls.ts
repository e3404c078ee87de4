/**
 * Rebuilds the calls that a purpose lets an account of ours make, from the terms alone. What nobody can compute is read from the calls that were asked for:
 * a secret, which must be that of the terms, what a party signed, and when its signature ends.
 */
import type { OrderAction, Purpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { htlcClass } from '../contract/artifacts/htlc.ts'
import { type Call, transferCall } from '../contract/client/calls.ts'
import type { Felt } from '../contract/client/felt.ts'
import { hexOfWords } from '../contract/client/order.ts'
import { feltOf } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import {
  approvalCallOf,
  type Contracts,
  initiateCallOf,
  instantRefundCallOf,
  redeemCallOf,
  refundCallOf,
  signedInitiateCallOf,
} from '../terms/htlc.ts'
import { outsideCall, outsideDeadlineOf, outsideExecutionOf, outsideWays } from '../terms/outside-execution.ts'
import { transferCallOf } from '../terms/transfer-call.ts'
import { deployCall } from './deploy/contents.ts'
import { noopCall } from './send/transaction.ts'

type Calls = readonly Call[]
type Asked = { readonly account: Felt; readonly calls: Calls }

/** Each of the results may be one transaction. There is none for a purpose that no transaction of this family has. */
export function permittedCalls(chain: Chain, contracts: Contracts, purpose: Purpose, asked: Asked): readonly Calls[] {
  const feeToken = feltOf(starknetDataOf(chain).feeToken)
  // It replaces a transaction, and pays nobody. A fee bump signs it again for the action that it was signed for.
  const { calls: noop } = noopCall(feeToken, asked.account)
  switch (purpose.kind) {
    case 'order': {
      const [action, ...others] = purpose.actions
      return others.length === 0 ? [noop, ...callsFor(contracts, feeToken, action, asked)] : []
    }
    case 'withdraw':
      return [noop, [transferCallOf(chain, contracts, purpose)]]
    case 'deploy':
      return purpose.asset === null ? [] : [[deployCall(htlcClass.classHash, [contracts.of(purpose.asset).token])]]
    case 'claim':
    case 'fund':
    case 'rescue':
      return []
  }
}

/** A fee bump signs the recorded calls again. They may be of an instant refund when the timelock has ended meanwhile, and the other way round. */
function callsFor(contracts: Contracts, feeToken: Felt, { verb, terms, gas }: OrderAction, { account, calls }: Asked): readonly Calls[] {
  const contract = contracts.of(terms.asset)
  const [first] = calls
  if (first === undefined) return []
  const isOwn = (party: string) => feltOf(party) === account
  const refund = [refundCallOf(contract, terms)]
  const instantRefund = [signedAs(first, (signature) => instantRefundCallOf(contract, terms, signature))]
  switch (verb) {
    case 'initiate':
      return isOwn(terms.initiator) ? [[approvalCallOf(contract, terms.amount), initiateCallOf(contract, terms, account)]] : []
    case 'relay': {
      // The initiator pays, so it is another.
      if (isOwn(terms.initiator)) return []
      const execution = outsideExecutionOf(contract, terms, account, outsideDeadlineOf(first))
      return [
        [signedAs(first, (signature) => signedInitiateCallOf(contract, terms, signature))],
        ...outsideWays.map((way) => [signedAs(first, (signature) => outsideCall(way, terms.initiator, execution, signature))]),
      ]
    }
    case 'redeem': {
      const secret = hexOfWords(first.calldata.slice(-SECRET_WORDS).map(BigInt))
      if (secret === null || !isSecretFor(secret, terms.secretHash)) return []
      const redeem = redeemCallOf(contract, terms, secret)
      return [[redeem], ...(gas === undefined ? [] : [[redeem, transferCall(feeToken, feltOf(terms.redeemer), gas)]])]
    }
    case 'refund':
      // Its own transaction is the redeemer's consent, so it would give up what we are to redeem.
      return isOwn(terms.redeemer) ? [refund] : [refund, instantRefund]
    case 'instant-refund':
      return [refund, instantRefund]
    default:
      return []
  }
}

const SECRET_WORDS = 8

/** The signature is the last list of a call. Whoever signed may be any account, so it may be any felts: the account decides about them. */
function signedAs(asked: Call, build: (signature: readonly Felt[]) => Call): Call {
  return build(asked.calldata.slice(build([]).calldata.length))
}
