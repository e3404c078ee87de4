/** Broadcasts a signed transaction and classifies refusals, by the codes of Starknet's JSON-RPC and by the words of sequencers. */

import type { NonceRefusal } from '@tandem/chain-kit/contract/nonce-account.ts'
import { pastNonceGap } from '@tandem/chain-kit/contract/nonces.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { NodeRefusal, PartialRefusal, type StarknetNode } from '../nodes/node.ts'
import { revertReason } from '../refusal.ts'
import type { Signed } from './transaction.ts'

/** These are codes of starknet_write_api. */
const codes = {
  invalidNonce: 52,
  insufficientBalance: 54,
  duplicate: 59,
  unexpected: 63,
  underpricedReplacement: 64,
  feeBelowMinimum: 65,
} as const

type Verdict = 'accepted' | 'nonce-gap' | 'invalid-nonce' | NonceRefusal

/** Some sequencers give these reasons with the code of a failed validation (55) or of too few resources (53). */
const worded: readonly (readonly [RegExp, Verdict])[] = [
  [/invalid transaction nonce|nonce too (old|low|high)/i, 'invalid-nonce'],
  [/underpriced|duplicate ?nonce|gas price.* is lower than|price.* is too low|fee is too low|below the minimum/i, 'underpriced'],
  [/amount.* is lower than the minimal gas amount|insufficient max L[12]|exceeds the (maximum|max).* gas/i, 'wrong-gas'],
]

function verdictOf({ code, message, reason }: NodeRefusal): Verdict | undefined {
  if (code === codes.duplicate) return 'accepted'
  if (code === codes.invalidNonce) return 'invalid-nonce'
  if (code === codes.underpricedReplacement || code === codes.feeBelowMinimum) return 'underpriced'
  return worded.find(([pattern]) => pattern.test(`${message} ${reason}`))?.[1]
}

/** Sequencers say "Account nonce: 0x5; got: 0x4", or "Expected: 5 <= nonce <= 205, got: 4". The result is null for other words. */
function compareNonces({ message, reason }: NodeRefusal): 'nonce-used' | 'nonce-gap' | null {
  const found = /(?:account nonce|expected)\D*?(0x[0-9a-f]+|\d+).*?got:?\s*(0x[0-9a-f]+|\d+)/is.exec(`${message} ${reason}`)
  if (found?.[1] === undefined || found[2] === undefined) return null
  return BigInt(found[2]) < BigInt(found[1]) ? 'nonce-used' : 'nonce-gap'
}

type Sending = Pick<StarknetNode, 'broadcast'>

/**
 * `nextNonce` is that of the sender's account. `onPartlyAccepted` is called when the quorum refuses the transaction but a provider accepted
 * it, or failed and may have accepted it: it may be mined, and its calldata may be public.
 */
export function broadcast(
  node: Sending,
  { wire, nonce }: Pick<Signed, 'wire' | 'nonce'>,
  nextNonce: () => Promise<bigint>,
  onPartlyAccepted: () => void = () => undefined,
): Promise<'accepted' | NonceRefusal> {
  return pastNonceGap(async () => {
    try {
      await node.broadcast(wire)
      return 'accepted'
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      if (error instanceof PartialRefusal) onPartlyAccepted()
      const verdict = verdictOf(error)
      if (verdict === undefined) throw asFailure(error)
      if (verdict !== 'invalid-nonce') return verdict
      return compareNonces(error) ?? ((await nextNonce()) > nonce ? 'nonce-used' : 'nonce-gap')
    }
  })
}

function asFailure(error: NodeRefusal): ChainFailure {
  // The node itself failed, e.g. in its connection to the sequencer.
  const isTrouble = error.code < 0 || error.code === codes.unexpected
  return new ChainFailure(
    isTrouble ? 'unreachable' : 'would-fail',
    `the node refused the transaction: ${error.message}: ${revertReason(error)}`,
  )
}
