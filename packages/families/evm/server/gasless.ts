/** Checks a user's signed initiation as strictly as the contract does, before anyone pays gas for it. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type RelayLimits, relayLimits } from '@tandem/protocol/relay-limits.ts'
import { type Address, encodeFunctionData, type Hex, hashTypedData, isHex, parseAbi, size, slice } from 'viem'
import { canonicalTerms, type HtlcContract, initiateTypedData, initiateWithSignatureData } from '../terms/htlc.ts'
import type { ContractState, HtlcState } from './contract-state.ts'
import type { EvmNode } from './nodes/node.ts'
import { recoverSigner } from './recover-signer.ts'
import { asChainFailure, isOutOfGas, isRevert } from './send/revert.ts'

const ERC1271_MAGIC = '0x1626ba7e'
/** Any contract account can use this many bytes, and a relay can carry them. */
const MAX_SIGNATURE_BYTES = 4096
const erc1271Abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])

export function parseSignature(text: string): Hex {
  const signature = text.startsWith('0x') ? text : `0x${text}`
  if (!isHex(signature) || signature.length % 2 !== 0 || signature === '0x')
    throw new TandemError('invalid_signature', 'signature must be hex, as a wallet returns it for typed_data')
  if (size(signature) > MAX_SIGNATURE_BYTES)
    throw new TandemError('invalid_signature', `signature is longer than ${MAX_SIGNATURE_BYTES} bytes`)
  return signature.toLowerCase() as Hex
}

export async function verifySignature(node: EvmNode, contract: HtlcContract, terms: HtlcTerms, signature: Hex): Promise<void> {
  if (contract.token === null) {
    throw new TandemError(
      'bad_request',
      `${terms.asset}: signatures are not supported for initiations of a native coin; send initiate_transaction`,
    )
  }
  const digest = digestOf(contract, terms)
  const { initiator } = canonicalTerms(terms)
  // The contract has the same order: first the key, even if the account has code (EIP-7702), then the code.
  const signer = await recoverSigner(digest, signature)
  if (signer === initiator) return
  if (await isApprovedByAccount(node, initiator, digest, signature)) return
  throw new TandemError(
    'invalid_signature',
    `signature is not by ${initiator} over the typed_data of this order${signer === null ? '' : `: it is by ${signer}, or over something else`}`,
  )
}

/** The limits are narrower if a contract account decides about the signature. */
export async function limitsOf(contract: HtlcContract, terms: HtlcTerms, signature: Hex): Promise<RelayLimits> {
  const signer = await recoverSigner(digestOf(contract, terms), signature)
  return signer === canonicalTerms(terms).initiator ? relayLimits.byKey : relayLimits.byContract
}

export async function spendableOf(state: ContractState, contract: HtlcContract, terms: HtlcTerms): Promise<bigint | null> {
  if (contract.token === null || (await state.htlc(contract, terms)) !== 'absent') return null
  const { balance, allowance } = await fundsOf(state, contract.token, contract, terms)
  return balance < allowance ? balance : allowance
}

/** Throws unless the initiation would succeed now, or the swap is initiated already. */
export async function verifyInitiation(
  node: EvmNode,
  state: ContractState,
  contract: HtlcContract,
  terms: HtlcTerms,
  signature: Hex,
): Promise<void> {
  const found = await state.htlc(contract, terms)
  assertNotRefunded(found)
  if (found !== 'absent') return
  await verifyFunds(state, contract, terms)
  await simulateInitiation(node, contract, terms, signature)
}

export async function simulateInitiation(node: EvmNode, contract: HtlcContract, terms: HtlcTerms, signature: Hex): Promise<void> {
  await simulateRelay(node, contract, initiateWithSignatureData(terms, signature))
}

export async function simulateRelay(node: EvmNode, contract: HtlcContract, data: Hex): Promise<void> {
  try {
    // The contract does not check the sender.
    await node.call({ to: contract.address, data })
  } catch (error) {
    const failure = asChainFailure(error, 'initiate')
    if (failure instanceof ChainFailure && failure.kind === 'would-fail')
      throw new TandemError('bad_request', `the initiation would fail on the chain: ${failure.message}`)
    throw failure
  }
}

/** A refunded order can never be initiated again. */
export function assertNotRefunded(state: HtlcState): void {
  if (state === 'refunded')
    throw new TandemError(
      'conflict',
      'the order is refunded on the chain, or its initiator has revoked it by revoke_transaction: make a new order',
    )
}

async function verifyFunds(state: ContractState, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const { token } = contract
  if (token === null) return
  const { initiator } = canonicalTerms(terms)
  const { balance, allowance } = await fundsOf(state, token, contract, terms)
  if (balance < terms.amount) {
    throw new TandemError(
      'bad_request',
      `${initiator} holds ${balance} of ${terms.asset}, the order needs ${terms.amount}: pay in the rest, then repeat this call`,
    )
  }
  if (allowance < terms.amount) {
    throw new TandemError(
      'bad_request',
      `${initiator} has approved ${allowance} of ${terms.asset}, the order needs ${terms.amount}: send approval_transaction first`,
    )
  }
}

async function fundsOf(state: ContractState, token: Address, { address }: HtlcContract, terms: HtlcTerms) {
  const { initiator } = canonicalTerms(terms)
  const [balance, allowance] = await Promise.all([state.tokenBalance(token, initiator), state.allowance(token, initiator, address)])
  return { balance, allowance }
}

function digestOf(contract: HtlcContract, terms: HtlcTerms): Hex {
  const { domain, types, primaryType, message } = initiateTypedData(contract, terms)
  return hashTypedData({
    domain: { ...domain, chainId: BigInt(contract.chainId) },
    types,
    primaryType,
    message: { ...message, timelock: terms.timelock, amount: terms.amount },
  })
}

/** ERC-1271 asks the account. One without code returns no data, which is no approval. */
export async function isApprovedByAccount(node: EvmNode, account: Address, digest: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi: erc1271Abi, functionName: 'isValidSignature', args: [digest, signature] })
  try {
    const answer = await node.call({ to: account, data })
    return size(answer) >= 32 && slice(answer, 0, 32) === ERC1271_MAGIC.padEnd(66, '0')
  } catch (error) {
    if (isRevert(error) || isOutOfGas(error)) return false
    throw asChainFailure(error, `asking ${account} about its signature`)
  }
}
