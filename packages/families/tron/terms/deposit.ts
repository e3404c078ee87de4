/** Computes deposit addresses in Tron's form. The code of the account is compiled for Tron, and so has another hash than on EVM chains. */

import { tronDepositAccount } from '@tandem/evm/contract/artifacts/tron-deposit-account.ts'
import { type AddressRule, type DepositedSwap, depositAddressOf } from '@tandem/evm/terms/deposit.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, keccak256 } from 'viem'
import { tronDataOf } from './chain-data.ts'
import { evmTerms } from './htlc.ts'

const codeHash = keccak256(tronDepositAccount.bytecode)

export function tronAddressRule(chain: Chain): AddressRule {
  return { prefix: tronDataOf(chain).create2Prefix, codeHash }
}

/** Terms as the contract knows them. */
export function evmSwap<S extends DepositedSwap>(swap: S): S {
  return { ...swap, terms: evmTerms(swap.terms) }
}

/** `swap` has addresses in Tron's form. */
export function tronDepositAddress(chain: Chain, contract: HtlcContract, swap: DepositedSwap): Address {
  return depositAddressOf(contract, evmSwap(swap), tronAddressRule(chain))
}
