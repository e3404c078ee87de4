/** Asks accounts whether they signed. Every account is a contract, and decides about its signatures itself. */

import { TandemError } from '@tandem/protocol/error.ts'
import { type Felt, felt, fieldPrime, selectorOf, shortString } from '../contract/client/felt.ts'
import { feltOf } from '../terms/address.ts'
import type { StarknetNode } from './nodes/node.ts'
import { asChainFailure, isRevert } from './refusal.ts'

/** This is enough for an account with a dozen signers, and for a passkey, and short enough to be relayed. */
const MAX_FELTS = 100
const IS_VALID_SIGNATURE = selectorOf('is_valid_signature')
/** SNIP-6 answers VALID, and older accounts answer true. */
const APPROVALS: ReadonlySet<bigint> = new Set([BigInt(shortString('VALID')), 1n])

/** The felts are joined by commas, each decimal or hex. Their number depends on the account. */
export function parseSignature(text: string): readonly Felt[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > MAX_FELTS)
    throw new TandemError('invalid_signature', `signature has ${parts.length} numbers, expected at most ${MAX_FELTS}`)
  return parts.map((part, index) => {
    const where = `signature: number ${index + 1} of ${parts.length}`
    if (!/^([0-9]{1,80}|0x[0-9a-fA-F]{1,64})$/.test(part))
      throw new TandemError('invalid_signature', `${where}: expected a decimal number or hex with 0x, got "${part.slice(0, 90)}"`)
    const value = BigInt(part)
    if (value >= fieldPrime) throw new TandemError('invalid_signature', `${where} is not below the prime of Starknet's field`)
    return felt(value)
  })
}

/** The account may be hostile: only an approval counts, and every other answer or failure is a refusal. */
export async function askAccount(
  node: Pick<StarknetNode, 'classHashAt' | 'call'>,
  account: string,
  digest: Felt,
  signature: readonly Felt[],
): Promise<'accepted' | 'refused' | 'not deployed'> {
  if ((await node.classHashAt(feltOf(account))) === null) return 'not deployed'
  const answer = await callAccount(node, feltOf(account), [digest, felt(BigInt(signature.length)), ...signature])
  return answer?.length === 1 && answer.every((value) => APPROVALS.has(BigInt(value))) ? 'accepted' : 'refused'
}

/** The result is null if the account panicked, or is none. */
async function callAccount(node: Pick<StarknetNode, 'call'>, account: Felt, calldata: readonly Felt[]): Promise<readonly Felt[] | null> {
  try {
    return await node.call({ to: account, selector: IS_VALID_SIGNATURE, calldata })
  } catch (error) {
    if (isRevert(error)) return null
    throw asChainFailure(error, `asking the account ${account} about its signature`)
  }
}
