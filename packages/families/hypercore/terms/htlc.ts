/** The HTLC for tokens of HyperCore, with an account for each owner: money in it is locked with the owner's consent, without an allowance. See `HtlcCore.sol`. */

import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { coreAccount } from '@tandem/evm/contract/artifacts/core-account.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { deployedCode, signatureImmutables } from '@tandem/evm/terms/deploy/verify-code.ts'
import { canonicalTerms, type HtlcContract, initiateDomain, orderIdOf } from '@tandem/evm/terms/htlc.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  numberToHex,
  pad,
  toFunctionSelector,
} from 'viem'
import type { TokenLink } from '../server/token-link.ts'

/** Where an owner's money lies before it is locked, on HyperCore and on HyperEVM. It commits to the contract and the owner. */
export function accountAt(contract: HtlcContract, owner: string): Address {
  return computeAccount(`${contract.address} ${owner.toLowerCase()}`)
}

const computeAccount = memoize(2000, (key: string): Address => {
  const [from, owner] = key.split(' ') as [Address, Address]
  const salt = pad(owner, { size: 32 })
  return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode: coreAccount.bytecode }).toLowerCase() as Address
})

/** The owner of the account that pays for a swap. */
export function ownerOf({ terms, payer }: Omit<PrefundedSwap, 'deadline'>): Address {
  return (payer ?? terms.initiator).toLowerCase() as Address
}

/** Sent by the owner of the account: it is the consent, and starts what is missing. */
export function initiateFromAccountData({ terms, deadline }: Omit<PrefundedSwap, 'payer'>): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateFromAccount', args: [...argumentsOf(terms), deadline] })
}

/** Sent by anyone, once the owner consented. */
export function initiateConsentedData(swap: PrefundedSwap): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateConsented', args: [ownerOf(swap), ...argumentsOf(swap.terms)] })
}

export function crossData(owner: Address): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'cross', args: [owner] })
}

const CROSS = toFunctionSelector('cross(address)')

/** It goes to the HTLC, and only prepares an initiation. */
export function isCrossing(data: Hex): boolean {
  return data.startsWith(CROSS)
}

type Taken = { readonly owner: Address; readonly amount: bigint }

/** Decoding hashes all signatures of the ABI, and every initiation reads those of all others in flight. */
const decodeTaken = memoize(500, (data): Taken | 'nothing' => {
  const { functionName, args } = decodeFunctionData({ abi: htlcCore.abi, data: data as Hex })
  if (functionName === 'initiateWithSignature') return { owner: args[0].toLowerCase() as Address, amount: args[3] }
  if (functionName === 'initiateConsented') return { owner: args[0].toLowerCase() as Address, amount: args[4] }
  return 'nothing'
})

/** What an initiation that we relay takes from the account of an owner; null for other calls of the HTLC. */
export function takenBy(data: Hex): Taken | null {
  const taken = decodeTaken(data)
  return taken === 'nothing' ? null : taken
}

/** Sent by the owner of the account. */
export function withdrawData(coreToken: bigint): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'withdraw', args: [coreToken] })
}

/** Sent by anyone, once all deadlines to which the owner consented have passed. */
export function reclaimData(contract: HtlcContract, swap: PrefundedSwap): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'reclaim', args: [ownerOf(swap), orderIdOf(contract, swap.terms)] })
}

function argumentsOf(terms: HtlcTerms) {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return [initiator, redeemer, timelock, amount, secretHash] as const
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
