/** What an initiator signs so that the HTLC takes a token without an allowance for it, and the calls with that, as pure functions of the terms. */

import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { canonicalTerms, type HtlcContract, initiateTypes, orderIdOf } from './htlc.ts'

/** CREATE2 gives this address to the code of Permit2 and to no other: see `HtlcErc20.sol`. */
export const PERMIT2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'

/** The ways are named by what the user signs besides the terms. The one that takes the least gas and asks least of the token is first. */
export const signatureWays = ['authorization', 'permit', 'permit2'] as const
export type SignatureWay = (typeof signatureWays)[number]

/**
 * The token has chosen these for its EIP-712 domain. The chain and its address complete it: the chain as its id, or, in tokens that were
 * bridged to some chains, as the salt.
 */
export type TokenDomain = { readonly name: string; readonly version: string; readonly chainIsSalt?: true }

type Field = { readonly name: string; readonly type: string }

/** Every number is a string, because JSON cannot hold a uint256 safely. */
export type TypedData = {
  readonly domain: Readonly<Record<string, string>>
  readonly primaryType: string
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly message: Readonly<Record<string, unknown>>
}

const { EIP712Domain, Initiate } = initiateTypes

const SaltedDomain = [...EIP712Domain.filter(({ name }) => name !== 'chainId'), { name: 'salt', type: 'bytes32' }] as const

const authorizationTypes = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

const permit2Types = {
  EIP712Domain: EIP712Domain.filter(({ name }) => name !== 'version'),
  PermitWitnessTransferFrom: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'witness', type: 'Initiate' },
  ],
  Initiate,
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const

export type Authorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}
export type Permit = {
  readonly owner: Address
  readonly spender: Address
  readonly value: bigint
  readonly nonce: bigint
  readonly deadline: bigint
}

/** EIP-3009, by a token that `domain` describes. */
export function authorizationData(chainId: number, token: Address, domain: TokenDomain, authorization: Authorization): TypedData {
  const { from, to, value, validBefore, nonce } = authorization
  return {
    domain: domainOf(chainId, token, domain),
    primaryType: 'ReceiveWithAuthorization',
    types: { EIP712Domain: domainTypeOf(domain), ...authorizationTypes },
    message: { from, to, value: value.toString(), validAfter: '0', validBefore: validBefore.toString(), nonce },
  }
}

/** EIP-2612, by a token that `domain` describes. */
export function permitData(chainId: number, token: Address, domain: TokenDomain, permit: Permit): TypedData {
  const { owner, spender, value, nonce, deadline } = permit
  return {
    domain: domainOf(chainId, token, domain),
    primaryType: 'Permit',
    types: { EIP712Domain: domainTypeOf(domain), ...permitTypes },
    message: { owner, spender, value: value.toString(), nonce: nonce.toString(), deadline: deadline.toString() },
  }
}

function domainOf(chainId: number, token: Address, { name, version, chainIsSalt }: TokenDomain): TypedData['domain'] {
  return chainIsSalt === true
    ? { name, version, verifyingContract: token, salt: numberToHex(chainId, { size: 32 }) }
    : { name, version, chainId: chainId.toString(), verifyingContract: token }
}

function domainTypeOf({ chainIsSalt }: TokenDomain): readonly Field[] {
  return chainIsSalt === true ? SaltedDomain : EIP712Domain
}

/** The nonce is the order id, which binds the contract and every term. Until the deadline of the order the signature is good. */
export function authorizationOf(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Authorization {
  const { initiator, amount } = canonicalTerms(terms)
  return { from: initiator, to: contract.address, value: amount, validBefore: deadline, nonce: orderIdOf(contract, terms) }
}

/** The permit is for exactly the amount, and the user signs the terms besides. */
export function permitOf(contract: HtlcContract, terms: HtlcTerms, nonce: bigint, deadline: bigint): Permit {
  const { initiator, amount } = canonicalTerms(terms)
  return { owner: initiator, spender: contract.address, value: amount, nonce, deadline }
}

/** The witness is the `Initiate` that the HTLC knows, and the nonce is the order id. */
export function permit2Data(contract: HtlcContract, token: Address, terms: HtlcTerms, deadline: bigint): TypedData {
  const { redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return {
    domain: { name: 'Permit2', chainId: contract.chainId.toString(), verifyingContract: PERMIT2 },
    primaryType: 'PermitWitnessTransferFrom',
    types: permit2Types,
    message: {
      permitted: { token, amount: amount.toString() },
      spender: contract.address,
      nonce: BigInt(orderIdOf(contract, terms)).toString(),
      deadline: deadline.toString(),
      witness: { redeemer, timelock: timelock.toString(), amount: amount.toString(), secretHash },
    },
  }
}

export function initiateByAuthorizationData(terms: HtlcTerms, deadline: bigint, signature: Hex): Hex {
  const args = [...orderArgs(terms), { deadline, signature }] as const
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateByAuthorization', args })
}

export function initiateByPermitData(terms: HtlcTerms, deadline: bigint, signatures: { readonly permit: Hex; readonly terms: Hex }): Hex {
  const args = [...orderArgs(terms), { deadline, ...signatures }] as const
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateByPermit', args })
}

export function initiateBySignatureTransferData(terms: HtlcTerms, deadline: bigint, signature: Hex): Hex {
  const args = [...orderArgs(terms), { deadline, signature }] as const
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateBySignatureTransfer', args })
}

function orderArgs(terms: HtlcTerms) {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return [initiator, redeemer, timelock, amount, secretHash] as const
}
