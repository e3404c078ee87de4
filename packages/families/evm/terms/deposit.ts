/** Computes the deposit address of a swap, and encodes the calls for the money that lies there: see `Deposits.sol`. */

import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { type Address, concat, encodeAbiParameters, encodeFunctionData, getAbiItem, type Hex, keccak256, slice, zeroAddress } from 'viem'
import { depositAccount } from '../contract/artifacts/deposit-account.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { canonicalTerms, type HtlcContract } from './htlc.ts'

export type DepositedSwap = Pick<PrefundedSwap, 'terms' | 'deadline'>

/** CREATE2 computes an address from this prefix and the code that creates the account. Both differ in Tron's virtual machine. */
export type AddressRule = { readonly prefix: Hex; readonly codeHash: Hex }

/** EIP-1014. */
export const evmAddressRule: AddressRule = { prefix: '0xff', codeHash: keccak256(depositAccount.bytecode) }

const { inputs: depositType } = getAbiItem({ abi: htlcErc20.abi, name: 'depositAddressFrom' })

/** Anyone may pay here, before and after the HTLC took the money. */
export function depositAddressOf(contract: HtlcContract, swap: DepositedSwap, { prefix, codeHash }: AddressRule = evmAddressRule): Address {
  const salt = encodeAbiParameters(depositType, [depositOf(contract, swap)])
  return computeAddress(concat([prefix, contract.address, codeHash, salt]))
}

/** A service polls many addresses, again and again. */
const computeAddress = memoize(5000, (preimage: string): Address => {
  const [prefix, htlc, codeHash, deposit] = [[0, 1] as const, [1, 21] as const, [21, 53] as const, [53] as const].map(([from, to]) =>
    slice(preimage as Hex, from, to),
  ) as [Hex, Hex, Hex, Hex]
  return slice(keccak256(concat([prefix, htlc, keccak256(deposit), codeHash])), 12).toLowerCase() as Address
})

export function depositAddressData(contract: HtlcContract, swap: DepositedSwap): Hex {
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'depositAddressFrom', args: [depositOf(contract, swap)] })
}

/** Anyone may send this until the deadline, once the amount is there. */
export function initiateDepositData(contract: HtlcContract, swap: DepositedSwap): Hex {
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateDeposit', args: [depositOf(contract, swap)] })
}

/** The initiator may always send this; anyone else, when the money can open the order no more. `token` null stands for the chain's coin. */
export function reclaimDepositedData(contract: HtlcContract, swap: DepositedSwap, token: Address | null): Hex {
  const args = [depositOf(contract, swap), token ?? zeroAddress] as const
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'reclaimDeposited', args })
}

function depositOf({ chainId }: HtlcContract, { terms, deadline }: DepositedSwap) {
  return { chainId: BigInt(chainId), ...canonicalTerms(terms), deadline }
}
