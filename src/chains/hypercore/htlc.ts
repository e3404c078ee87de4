/** The HTLC for tokens of HyperCore, with a deposit address for each order: a transfer of the ERC-20 there funds it, without an allowance. See `HtlcCore.sol`. */
import { type Address, concat, encodeAbiParameters, encodeFunctionData, getContractAddress, type Hex, keccak256, numberToHex } from 'viem'
import { coreDeposit } from '../../../contracts/evm/artifacts/core-deposit.ts'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'
import { deployedCode, signatureImmutables } from '../evm/deploy/verify-code.ts'
import { canonicalTerms, type HtlcContract, initiateDomain, orderIdOf } from '../evm/htlc.ts'
import type { PrefundedSwap } from '../port/abilities/prefund.ts'
import type { TokenLink } from './token-link.ts'

/** It commits to the terms and the deadline: a payment there can fund only this order, and only until the deadline. */
export function depositAddressOf(contract: HtlcContract, { terms, deadline }: PrefundedSwap): Address {
  const { initiator } = canonicalTerms(terms)
  const parameters = encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [tokenOf(contract), initiator])
  const bytecode = concat([coreDeposit.bytecode, parameters])
  const salt = keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [orderIdOf(contract, terms), deadline]))
  return getContractAddress({ opcode: 'CREATE2', from: contract.address, salt, bytecode }).toLowerCase() as Address
}

export function initiateFromDepositData(swap: PrefundedSwap): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateFromDeposit', args: argumentsOf(swap) })
}

export function reclaimDepositData(swap: PrefundedSwap): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'reclaimDeposit', args: argumentsOf(swap) })
}

function argumentsOf({ terms, deadline }: PrefundedSwap) {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return [initiator, redeemer, timelock, amount, secretHash, deadline] as const
}

/** Every asset of this family is a token. */
export function tokenOf({ address, token }: HtlcContract): Address {
  if (token === null) throw new Error(`the HTLC at ${address} has no token`)
  return token
}

/** The code that must be at the address of the HTLC of this token. */
export function htlcCoreCode(contract: HtlcContract, { coreToken, evmPerCore }: TokenLink) {
  return deployedCode(htlcCore, {
    ...signatureImmutables(contract, initiateDomain.name),
    _token: tokenOf(contract),
    _coreToken: numberToHex(coreToken),
    _evmPerCore: numberToHex(evmPerCore),
  })
}
