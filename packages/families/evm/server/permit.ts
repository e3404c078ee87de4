/**
 * What our keys may sign on EVM chains: what the purpose says, about its orders, and nothing that costs the account more than fees. Only our own initiation
 * takes the account's money, by exactly the terms; gas for a recipient takes what the order says.
 */
import { type PermitSigning, SigningRefused } from '@tandem/keys/permit.ts'
import type { ClaimPurpose, Purpose, WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Address } from 'viem'
import { accountOf, parseAddress } from '../terms/address.ts'
import type { AllowanceOf } from '../terms/allowance.ts'
import { type Contracts, chainIdOf } from '../terms/htlc.ts'
import { tokenOf, transferCall } from '../terms/transfer-call.ts'
import { claimedToken, distributorOf } from './distributor-address.ts'
import { type Functions, isNoop, type SignedCall, whyNotHtlcCall } from './permit/htlc-call.ts'
import { consentRule, orderPurposeOf, permitBy, type RulesOf, transactionRule } from './permit/rules.ts'
import type { EvmOperations } from './signing.ts'

/**
 * What an account of ours may call for an action. No other function takes part in our swaps. A fee bump signs the recorded call again, which may be of an
 * instant refund when the timelock has ended meanwhile, and the other way round.
 */
const FUNCTIONS: Functions = {
  // Terms that name another initiator need another function, which we never call.
  initiate: ['initiate'],
  relay: ['initiateWithSignature', 'initiateByAuthorization', 'initiateByPermit', 'initiateBySignatureTransfer', 'initiateDeposit'],
  redeem: ['redeem', 'redeemOfferingCoinForGas', 'redeemBatch'],
  refund: ['refund', 'instantRefund'],
  'instant-refund': ['instantRefund', 'refund'],
  reclaim: ['reclaimDeposited'],
}

export function createPermit(chain: Chain, contracts: Contracts, maxAllowance: AllowanceOf): PermitSigning {
  const htlcRules = { contracts, functions: FUNCTIONS, maxAllowance }
  const rules: RulesOf<EvmOperations> = {
    transaction: transactionRule(chain, (account, purpose, call) => {
      if (purpose.kind === 'withdraw') return whyNotTransfer(chain, contracts, account, purpose, call)
      const order = orderPurposeOf(purpose)
      return isNoop(call, account) ? null : whyNotHtlcCall(htlcRules, account, order, call)
    }),
    refundConsent: consentRule(contracts),
    claim({ key, purpose }, { chainId, verifyingContract }, { recipient, asset, total }, token) {
      const claim = claimPurposeOf(purpose)
      if (chainId !== chainIdOf(chain) || verifyingContract !== distributorOf(accountOf(key)))
        throw new SigningRefused(purpose, `it would be a claim at another distributor: ${verifyingContract} on the chain id ${chainId}`)
      const isSame = recipient === claim.recipient && asset === claim.asset && total === claim.total
      if (!isSame || token !== claimedToken(contracts, claim.asset))
        throw new SigningRefused(purpose, `it would let ${recipient} claim ${total} of ${asset} as ${token}`)
    },
  }
  return permitBy(chain, rules)
}

function whyNotTransfer(
  chain: Chain,
  contracts: Contracts,
  account: Address,
  { asset, recipient, amount }: WithdrawPurpose,
  call: SignedCall,
): string | null {
  const expected = transferCall(tokenOf(chain, contracts, asset), parseAddress(recipient), amount)
  const isSame = call.to === expected.to && call.data === expected.data && call.value === expected.value
  return isSame || isNoop(call, account) ? null : 'it is not the transfer that the operator asked for'
}

function claimPurposeOf(purpose: Purpose): ClaimPurpose {
  if (purpose.kind !== 'claim') throw new SigningRefused(purpose, 'it would be a claim of an affiliate')
  return purpose
}
