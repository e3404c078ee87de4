/**
 * What our keys may sign on Tron: what the purpose says, about its orders, and nothing that costs the account more than fees. The contract is that of EVM
 * chains, so its calls are judged as there. A transaction names no network but a block of it, so the contracts of this chain must be the ones called.
 */

import { type Functions, type HtlcRules, whyNotHtlcCall } from '@tandem/evm/server/permit/htlc-call.ts'
import { consentRule, orderPurposeOf, permitBy, type Request, type RulesOf } from '@tandem/evm/server/permit/rules.ts'
import type { EvmOperations } from '@tandem/evm/server/signing.ts'
import { accountOf } from '@tandem/evm/terms/address.ts'
import type { AllowanceOf } from '@tandem/evm/terms/allowance.ts'
import type { Contracts } from '@tandem/evm/terms/htlc.ts'
import { transferCall } from '@tandem/evm/terms/transfer-call.ts'
import { type PermitSigning, SigningRefused } from '@tandem/keys/permit.ts'
import type { OrderPurpose, Purpose, SignedVerb, WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { size } from 'viem'
import { toEvmAddress } from '../terms/address.ts'
import { type FeeVerb, feeCapSun, MAX_CALL_BYTES } from '../terms/fees/limits.ts'
import { evmTerms, tokenOf } from '../terms/htlc.ts'
import type { TransactionFrame, TronCall } from './send/raw-data.ts'
import type { TronOperations } from './signing.ts'

/** A creation is signed only with the key of a deployer. */
type PermittedOperations = Pick<TronOperations, 'call'> & Pick<EvmOperations, 'refundConsent'>

/** Nothing is signed for a cancellation: a transaction can only expire. */
const FUNCTIONS: Functions = {
  initiate: ['initiate'],
  relay: ['initiateWithSignature', 'initiateDeposit'],
  redeem: ['redeem', 'redeemOfferingCoinForGas'],
  refund: ['refund', 'instantRefund'],
  'instant-refund': ['instantRefund', 'refund'],
  reclaim: ['reclaimDeposited'],
}

const FEES: Readonly<Partial<Record<SignedVerb, FeeVerb>>> = {
  initiate: 'initiate',
  relay: 'initiate',
  redeem: 'redeem',
  refund: 'refund',
  'instant-refund': 'refund',
  reclaim: 'reclaim',
}

export function createPermit(chain: Chain, contracts: Contracts, maxAllowance: AllowanceOf): PermitSigning {
  const htlcRules = { contracts, functions: FUNCTIONS, maxAllowance }
  const rules: RulesOf<PermittedOperations> = {
    call(request, call, frame) {
      const { purpose } = request
      const reason = whyNotForm(call, frame) ?? whyNotCall(chain, htlcRules, request, call) ?? whyNotFee(contracts, purpose, call, frame)
      if (reason !== null) throw new SigningRefused(purpose, reason)
    },
    refundConsent: consentRule(contracts, evmTerms),
  }
  return permitBy(chain, rules)
}

/** The bytes are made of these fields alone. One of another type could compare as less than it is worth. */
function whyNotForm(call: TronCall, { nowMs, ttlMs, feeLimitSun }: TransactionFrame): string | null {
  if (![call.value, nowMs, ttlMs, feeLimitSun].every(isExact)) return 'an amount of the transaction is no whole number'
  if (typeof call.to !== 'string' || typeof call.data !== 'string') return 'its call is no address and calldata'
  return size(call.data) > MAX_CALL_BYTES ? `its calldata has more than ${MAX_CALL_BYTES} bytes` : null
}

function whyNotCall(chain: Chain, htlcRules: HtlcRules, { key, purpose }: Request, call: TronCall): string | null {
  if (purpose.kind === 'withdraw') return whyNotTransfer(chain, htlcRules.contracts, purpose, call)
  return whyNotHtlcCall(htlcRules, accountOf(key), asContractKnows(orderPurposeOf(purpose)), call)
}

/** Energy is charged up to the limit that the transaction names. */
function whyNotFee(contracts: Contracts, purpose: Purpose, { to }: TronCall, { feeLimitSun }: TransactionFrame): string | null {
  const most = feeCapSun[feeVerbOf(contracts, purpose, to)]
  return feeLimitSun > most ? `its energy could cost ${feeLimitSun} sun, and may cost ${most}` : null
}

function feeVerbOf(contracts: Contracts, purpose: Purpose, to: string): FeeVerb {
  if (purpose.kind === 'withdraw') return 'transfer'
  const [{ verb, terms }] = orderPurposeOf(purpose).actions
  return to === contracts.of(terms.asset).token ? 'approve' : (FEES[verb] ?? 'approve')
}

function whyNotTransfer(
  { nativeAsset }: Chain,
  contracts: Contracts,
  { asset, recipient, amount }: WithdrawPurpose,
  call: TronCall,
): string | null {
  if (asset === nativeAsset) return `${asset} is not sent`
  const expected = transferCall(tokenOf(contracts.of(asset)), toEvmAddress(recipient), amount)
  const isSame = call.to === expected.to && call.data === expected.data && call.value === expected.value
  return isSame ? null : 'it is not the transfer that the operator asked for'
}

function asContractKnows({ actions: [first, ...others], ...purpose }: OrderPurpose): OrderPurpose {
  const known = (action: typeof first) => ({ ...action, terms: evmTerms(action.terms) })
  return { ...purpose, actions: [known(first), ...others.map(known)] }
}

/** The protobuf is made from numbers. */
function isExact(amount: unknown): boolean {
  return typeof amount === 'bigint' && amount >= 0n && amount <= BigInt(Number.MAX_SAFE_INTEGER)
}
