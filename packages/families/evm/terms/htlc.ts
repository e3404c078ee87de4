/** Computes order ids, calldata and typed data of the HTLC contracts, as pure functions of the terms. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { type ContractsOf, contractsOf, type DeployedAsset, placesOf } from '@tandem/chain-kit/contract/contracts.ts'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  hashTypedData,
  prepareEncodeFunctionData,
  toFunctionSelector,
} from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { parseAddress } from './address.ts'

const DIGITS = 64

export type HtlcContract = { readonly chainId: number; readonly address: Address; readonly token: Address | null }

export type Contracts = ContractsOf<HtlcContract>

/** 'evm:31337' gives 31337. Tron has chain ids too. */
export function chainIdOf(chain: Chain): number {
  const digits = /^(?:evm|tron):([1-9][0-9]{0,14})$/.exec(chain.reference)?.[1]
  if (digits === undefined) throw new Error(`chain ${chain.id} has the reference "${chain.reference}", expected <evm or tron>:<chain id>`)
  return Number(digits)
}

export function createContracts(chain: Chain, assets: readonly DeployedAsset[]): Contracts {
  const chainId = chainIdOf(chain)
  return contractsOf(chain, assets, (asset) => {
    const { htlc, token } = placesOf(asset)
    return { chainId, address: parseAddress(htlc), token: token === null ? null : parseAddress(token) }
  })
}

/**
 * The id binds the chain, the contract and every term: two swaps cannot share it. The contract computes `keccak256(abi.encode(…))`, which
 * for values of fixed size hashes their 32-byte words.
 */
export function orderIdOf(contract: HtlcContract, terms: HtlcTerms): Hex {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return hashOfWords(encodeWords([BigInt(contract.chainId), contract.address, initiator, redeemer, timelock, amount, secretHash]))
}

/** Each event and each read of a contract needs the id of its swap. */
const hashOfWords = memoize(2000, hashWords)

export function swapIdOf(contract: HtlcContract, terms: HtlcTerms): SwapId {
  return orderIdOf(contract, terms).slice(2)
}

/** All HTLCs take the same calls. Hashing a function's signature takes longer than encoding its arguments. */
const selectorOf = (name: 'initiate' | 'initiateOnBehalf' | 'redeem' | 'redeemOfferingCoinForGas' | 'refund' | 'redeemBatch') =>
  toFunctionSelector(getAbiItem({ abi: htlcErc20.abi, name }))
const selectors = {
  initiate: selectorOf('initiate'),
  initiateOnBehalf: selectorOf('initiateOnBehalf'),
  redeem: selectorOf('redeem'),
  redeemWithGas: selectorOf('redeemOfferingCoinForGas'),
  refund: selectorOf('refund'),
  redeemBatch: selectorOf('redeemBatch'),
}
const preparedBatch = prepareEncodeFunctionData({ abi: htlcErc20.abi, functionName: 'redeemBatch' })

const callData = (name: keyof typeof selectors, args: readonly Word[]): Hex => `${selectors[name]}${encodeWords(args)}`

/** `sender` pays. A refund goes to the initiator, even if somebody else paid. */
export function initiateData(terms: HtlcTerms, sender: string): Hex {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return sender.toLowerCase() === initiator
    ? callData('initiate', [redeemer, timelock, amount, secretHash])
    : callData('initiateOnBehalf', [initiator, redeemer, timelock, amount, secretHash])
}

export function revokeData(terms: HtlcTerms): Hex {
  const { redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return encodeFunctionData({ abi: htlcErc20.abi, functionName: 'revoke', args: [redeemer, timelock, amount, secretHash] })
}

/** A revocation writes one slot, for about 46,000 gas. */
export const REVOKE_GAS = 80_000n

export function initiateWithSignatureData(terms: HtlcTerms, signature: Hex): Hex {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return encodeFunctionData({
    abi: htlcErc20.abi,
    functionName: 'initiateWithSignature',
    args: [initiator, redeemer, timelock, amount, secretHash, signature],
  })
}

export function redeemData(terms: HtlcTerms, secret: Hex32): Hex {
  const { initiator, redeemer, timelock, amount } = canonicalTerms(terms)
  return callData('redeem', [initiator, redeemer, timelock, amount, `0x${secret}`])
}

/** Gives the redeemer the value of the call beside the payout. HTLCs for the native coin do not have it. */
export function redeemWithGasData(terms: HtlcTerms, secret: Hex32): Hex {
  return `${selectors.redeemWithGas}${redeemData(terms, secret).slice(selectors.redeem.length)}`
}

export function isRedeemWithGas(data: Hex): boolean {
  return data.startsWith(selectors.redeemWithGas)
}

/** Redeems orders with the same redeemer. The contract skips those that are not open. */
export function redeemBatchData(items: readonly { readonly terms: HtlcTerms; readonly secret: Hex32 }[]): Hex {
  const redemptions = items.map(({ terms, secret }) => {
    const { initiator, timelock, amount } = canonicalTerms(terms)
    return { initiator, timelock, amount, secret: `0x${secret}` as const }
  })
  const [first] = items
  if (first === undefined) throw new Error('a batch without redeems')
  const args = [canonicalTerms(first.terms).redeemer, redemptions] as const
  return encodeFunctionData({ ...preparedBatch, args })
}

export function secretsIn(data: Hex): readonly Hex32[] {
  if (!isRedeemBatch(data)) return [data.slice(-64)]
  const { args } = decodeFunctionData({ abi: [preparedBatch.abi[0]], data })
  return args[1].map(({ secret }) => secret.slice(2))
}

export function isRedeemBatch(data: Hex): boolean {
  return data.startsWith(selectors.redeemBatch)
}

export function refundData(terms: HtlcTerms): Hex {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return callData('refund', [initiator, redeemer, timelock, amount, secretHash])
}

/** The redeemer has signed: see `refundDigest`. */
export function instantRefundData(terms: HtlcTerms, signature: Hex): Hex {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return encodeFunctionData({
    abi: htlcErc20.abi,
    functionName: 'instantRefund',
    args: [initiator, redeemer, timelock, amount, secretHash, signature],
  })
}

/** Name and version of the EIP-712 domain are constants of the contract: see `Signatures.sol`. */
export const initiateDomain = { name: 'HTLC-ERC20', version: '1' } as const
export const nativeDomain = { name: 'HTLC-Native', version: '1' } as const

export const initiateTypes = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  Initiate: [
    { name: 'redeemer', type: 'address' },
    { name: 'timelock', type: 'uint256' },
    { name: 'amount', type: 'uint256' },
    { name: 'secretHash', type: 'bytes32' },
  ],
} as const

/** eth_signTypedData_v4 takes this argument. Every number is a string, because JSON cannot hold a uint256 safely. */
export type InitiateTypedData = {
  readonly domain: { readonly name: string; readonly version: string; readonly chainId: string; readonly verifyingContract: Address }
  readonly primaryType: 'Initiate'
  readonly types: typeof initiateTypes
  readonly message: { readonly redeemer: Address; readonly timelock: string; readonly amount: string; readonly secretHash: Hex }
}

export function initiateTypedData(contract: HtlcContract, terms: HtlcTerms): InitiateTypedData {
  const { redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return {
    domain: { ...initiateDomain, chainId: contract.chainId.toString(), verifyingContract: contract.address },
    primaryType: 'Initiate',
    types: initiateTypes,
    message: { redeemer, timelock: timelock.toString(), amount: amount.toString(), secretHash },
  }
}

/** The redeemer signs this to consent to a refund before the timelock ends. The order id binds the chain, the contract and every term. */
export function refundDigest(contract: HtlcContract, terms: HtlcTerms): Hex {
  const { name, version } = contract.token === null ? nativeDomain : initiateDomain
  return hashTypedData({
    domain: { name, version, chainId: BigInt(contract.chainId), verifyingContract: contract.address },
    types: { Refund: [{ name: 'orderId', type: 'bytes32' }] },
    primaryType: 'Refund',
    message: { orderId: orderIdOf(contract, terms) },
  })
}

/** Addresses in the terms may be in checksum case. In lower case they compare as texts. */
export function canonicalTerms(terms: HtlcTerms) {
  return {
    initiator: terms.initiator.toLowerCase() as Address,
    redeemer: terms.redeemer.toLowerCase() as Address,
    timelock: terms.timelock,
    amount: terms.amount,
    secretHash: `0x${terms.secretHash.toLowerCase()}` as Hex,
  }
}

type Word = Address | bigint | Hex

/** Each value becomes 32 bytes, in hex without 0x. The encoder of a library reads the ABI each time, which takes ten times as long. */
function encodeWords(values: readonly Word[]): string {
  return values.map(encodeWord).join('')
}

/** Short addresses and short words are refused, because padding would make another value of them. */
function encodeWord(value: Word): string {
  if (typeof value !== 'bigint') {
    if (/^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value)) return value.slice(2).padStart(DIGITS, '0')
    // The value is not shown, because it may be a secret.
    throw new Error('a value is neither an address nor 32 bytes')
  }
  const digits = value.toString(16)
  if (value < 0n || digits.length > DIGITS) throw new Error(`${value} does not fit in 32 bytes`)
  return digits.padStart(DIGITS, '0')
}

function hashWords(words: string): Hex {
  return `0x${bytesToHex(keccak_256(hexToBytes(words)))}`
}
