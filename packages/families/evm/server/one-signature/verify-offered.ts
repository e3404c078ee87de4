/** Checks what a user signed instead of an approval as strictly as token, Permit2 and contract do, before anyone pays gas for it. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type RelayLimits, relayLimits } from '@tandem/protocol/relay-limits.ts'
import type { Hex } from 'viem'
import { canonicalTerms, type HtlcContract } from '../../terms/htlc.ts'
import type { ContractState } from '../contract-state.ts'
import { assertNotRefunded, isApprovedByAccount, simulateRelay } from '../gasless.ts'
import type { EvmNode } from '../nodes/node.ts'
import { recoverSigner } from '../recover-signer.ts'
import type { Given } from './given-signature.ts'
import type { OneSignature, Signed } from './one-signature.ts'

export type Offered = Exclude<Given, { readonly way: 'terms' }>

export type OfferedInitiation = {
  readonly contract: HtlcContract
  readonly terms: HtlcTerms
  readonly given: Offered
  readonly deadline: bigint
}

/** Throws unless the initiation would succeed now, or the swap is initiated already. */
export async function verifyOffered(node: EvmNode, state: ContractState, ways: OneSignature, initiation: OfferedInitiation): Promise<void> {
  const { contract, terms, given, deadline } = initiation
  const { initiator } = canonicalTerms(terms)
  for (const signed of await ways.signedTexts(contract, terms, given, deadline)) await verifySigned(node, initiator, signed)
  const found = await state.htlc(contract, terms)
  assertNotRefunded(found)
  if (found !== 'absent' || contract.token === null) return
  await verifyFunds(ways, initiation)
  await ways.settle(contract.token, given.way)
  if (!(await ways.waysOf(contract)).includes(given.way))
    throw new TandemError('bad_request', `the offer ${given.way} does not work for this token at the moment: ${OTHERWISE}`)
  try {
    await simulateRelay(node, contract, await ways.callData(contract, terms, given, deadline))
  } catch (error) {
    // What was signed has expired by then, whatever the token does.
    const isInTime = BigInt(Math.floor(Date.now() / 1000)) < deadline
    if (error instanceof TandemError && isInTime) ways.refuse(contract.token, given.way, initiator)
    throw error
  }
}

const OTHERWISE = 'sign typed_data, or what GET /orders/{id}/funding offers'

async function verifySigned(node: EvmNode, initiator: string, { what, digest, signature }: Signed): Promise<void> {
  const signer = await recoverSigner(digest, signature)
  if (signer === initiator) return
  if (await isApprovedByAccount(node, initiator as Hex, digest, signature)) return
  const by = signer === null ? '' : `: it is by ${signer}, or over something else`
  throw new TandemError('invalid_signature', `signature is not by ${initiator} over ${what}${by}`)
}

async function verifyFunds(ways: OneSignature, { contract, terms, given }: OfferedInitiation): Promise<void> {
  const { initiator } = canonicalTerms(terms)
  const { balance, allowance } = await ways.spendable(contract, terms, given.way)
  const { asset, amount } = terms
  if (balance < amount)
    throw new TandemError(
      'bad_request',
      `${initiator} holds ${balance} of ${asset}, the order needs ${amount}: pay in the rest, then repeat this call`,
    )
  if (allowance < amount)
    throw new TandemError(
      'bad_request',
      `${initiator} has approved ${allowance} of ${asset} for Permit2, the order needs ${amount}: ${OTHERWISE}`,
    )
}

/**
 * The limits are narrower if an account's code decides about a signature. Tokens and Permit2 ask the code of every account that has some, also
 * where its key has signed (EIP-7702).
 */
export async function limitsOfOffered(
  node: EvmNode,
  ways: OneSignature,
  { contract, terms, given, deadline }: OfferedInitiation,
): Promise<RelayLimits> {
  const { initiator } = canonicalTerms(terms)
  if ((await node.code(initiator)) !== '0x') return relayLimits.byContract
  const texts = await ways.signedTexts(contract, terms, given, deadline)
  const signers = await Promise.all(texts.map(({ digest, signature }) => recoverSigner(digest, signature)))
  return signers.every((signer) => signer === initiator) ? relayLimits.byKey : relayLimits.byContract
}

export async function spendableByOffered(
  state: ContractState,
  ways: OneSignature,
  { contract, terms, given }: OfferedInitiation,
): Promise<bigint | null> {
  if (contract.token === null || (await state.htlc(contract, terms)) !== 'absent') return null
  const { balance, allowance } = await ways.spendable(contract, terms, given.way)
  return balance < allowance ? balance : allowance
}
