/**
 * What our keys may sign for swaps of HyperCore: what they may sign on EVM chains, but for claims, batches and transfers of inventory, which HyperCore does
 * not have; and the calls that bring money to HyperEVM before it is locked. The form and the fee of a transaction are those of HyperEVM.
 */
import { type Functions, isNoop, type SignedCall, whyNotHtlcCall } from '@tandem/evm/server/permit/htlc-call.ts'
import { consentRule, orderPurposeOf, permitBy, type RulesOf, transactionRule } from '@tandem/evm/server/permit/rules.ts'
import type { EvmOperations } from '@tandem/evm/server/signing.ts'
import type { AllowanceOf } from '@tandem/evm/terms/allowance.ts'
import { type Contracts, type HtlcContract, orderIdOf } from '@tandem/evm/terms/htlc.ts'
import type { PermitSigning } from '@tandem/keys/permit.ts'
import type { OrderAction } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { CORE_WRITER, MAX_CROSSING_VALUE, systemAddressOf } from '../terms/core.ts'
import { type CoreCall, readCoreCall, readSpotSend } from '../terms/read-call.ts'
import { ORDERS_PER_MOVE } from './move-to-evm.ts'

const FUNCTIONS: Functions = {
  initiate: ['initiate'],
  relay: ['initiateWithSignature'],
  redeem: ['redeem'],
  refund: ['refund', 'instantRefund'],
  'instant-refund': ['instantRefund', 'refund'],
}

/** `maxAllowance` is in units of the ERC-20. */
export function createPermit(chain: Chain, contracts: Contracts, maxAllowance: AllowanceOf): PermitSigning {
  const htlcRules = { contracts, functions: FUNCTIONS, maxAllowance }
  const rules: RulesOf<Pick<EvmOperations, 'transaction' | 'refundConsent'>> = {
    transaction: transactionRule(chain, (account, purpose, call) => {
      const order = orderPurposeOf(purpose)
      const [action] = order.actions
      const contract = contracts.of(action.terms.asset)
      if (isNoop(call, account)) return null
      if (call.to === CORE_WRITER) return whyNotMove(action, call)
      const read = call.to === contract.address ? readCoreCall(call.data) : null
      return read === null ? whyNotHtlcCall(htlcRules, account, order, call) : whyNotCoreCall(contract, action, read, call)
    }),
    refundConsent: consentRule(contracts),
  }
  return permitBy(chain, rules)
}

/**
 * Tokens only change sides, and stay the account's: the system address of a token is its bridge. No configuration says which index the token of the order
 * has, so it may be another token of ours.
 */
function whyNotMove({ verb, terms }: OrderAction, { data, value }: SignedCall): string | null {
  const send = readSpotSend(data)
  if (verb !== 'initiate' || value !== 0n || send === null || send.to !== systemAddressOf(send.token))
    return "it would be an action on HyperCore, and not a move of its account's tokens to HyperEVM"
  const most = ORDERS_PER_MOVE * terms.amount
  return send.amount > most ? `it would move ${send.amount}, and may move ${most}` : null
}

/**
 * A crossing has a value, which pays for it on HyperCore: whatever the account of its owner does not need for that is the owner's, who may be another payer
 * than the initiator, and whom no terms name. So it is limited.
 */
function whyNotCoreCall(contract: HtlcContract, { verb, terms }: OrderAction, read: CoreCall, { value }: SignedCall): string | null {
  if (verb !== (read.name === 'reclaim' ? 'reclaim' : 'relay')) return `it would call "${read.name}" of the HTLC`
  if (read.name !== 'cross') {
    const orderId = read.name === 'reclaim' ? read.orderId : orderIdOf(contract, { ...read.order, asset: terms.asset })
    if (orderId !== orderIdOf(contract, terms)) return 'it would be about an order that is not named'
  }
  const most = read.name === 'cross' ? MAX_CROSSING_VALUE : 0n
  return value > most ? `it would send ${value} wei, and may send ${most}` : null
}
