/** Encodes the HTLC for tokens of HyperCore, with an account for each owner: see `HtlcCore.sol`. Its money needs no allowance. */

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

/** This account holds money before it is locked, on HyperCore and on HyperEVM. Its address commits to the contract and the owner. */
export function accountAt(contract: HtlcContract, owner: string): Address {
  return computeAccount(`${contract.address} ${owner.toLowerCase()}`)
}

const computeAccount = memoize(2000, (key: string): Address => {
  const [from, owner] = key.split(' ') as [Address, Address]
  const salt = pad(owner, { size: 32 })
  return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode: coreAccount.bytecode }).toLowerCase() as Address
})

export function ownerOf({ terms, payer }: Omit<PrefundedSwap, 'deadline'>): Address {
  return (payer ?? terms.initiator).toLowerCase() as Address
}

/** The owner of the account sends this as its consent, which starts the crossing if it is needed. */
export function initiateFromAccountData({ terms, deadline }: Omit<PrefundedSwap, 'payer'>): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateFromAccount', args: [...argumentsOf(terms), deadline] })
}

/** Anyone may send this once the owner consented. */
export function initiateConsentedData(swap: PrefundedSwap): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateConsented', args: [ownerOf(swap), ...argumentsOf(swap.terms)] })
}

export function crossData(owner: Address): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'cross', args: [owner] })
}

const CROSS = toFunctionSelector('cross(address)')

/** A crossing goes to the HTLC, and only prepares an initiation. */
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

/** An initiation takes this amount from the account of an owner. Null stands for other calls of the HTLC. */
export function takenBy(data: Hex): Taken | null {
  const taken = decodeTaken(data)
  return taken === 'nothing' ? null : taken
}

export function withdrawData(coreToken: bigint): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'withdraw', args: [coreToken] })
}

/** Anyone may send this once all deadlines to which the owner consented have passed. */
export function reclaimData(contract: HtlcContract, swap: PrefundedSwap): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'reclaim', args: [ownerOf(swap), orderIdOf(contract, swap.terms)] })
}

function argumentsOf(terms: HtlcTerms) {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return [initiator, redeemer, timelock, amount, secretHash] as const
}

export function tokenOf({ address, token }: HtlcContract): Address {
  if (token === null) throw new Error(`the HTLC at ${address} has no token`)
  return token
}

export function htlcCoreCode(contract: HtlcContract, { coreToken, evmPerCore }: TokenLink) {
  return deployedCode(htlcCore, {
    ...signatureImmutables(contract, initiateDomain.name),
    _token: tokenOf(contract),
    _coreToken: numberToHex(coreToken),
    _evmPerCore: numberToHex(evmPerCore),
  })
}
