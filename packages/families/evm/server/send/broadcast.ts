/** Broadcasts a signed transaction and classifies refusals, which every node software words differently. */

import type { NonceRefusal } from '@tandem/chain-kit/contract/nonce-account.ts'
import { pastNonceGap } from '@tandem/chain-kit/contract/nonces.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Hex } from 'viem'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

/**
 * accepted      the node has it, now or since an earlier broadcast
 * nonce-gap     the node lacks a transaction with an earlier nonce, and does not queue this one
 */
export type Verdict = 'accepted' | 'nonce-gap' | NonceRefusal

const verdicts: readonly (readonly [RegExp, Verdict])[] = [
  [/nonce (is )?too (high|far)|nonce gap|gapped.?nonce|future nonce|nonce.*(higher|greater) than/i, 'nonce-gap'],
  [/already ?known|known transaction|already imported|already exists|already in (the )?mempool/i, 'accepted'],
  [/nonce (is )?too low|old ?nonce|nonce has already been used|nonce.*lower than/i, 'nonce-used'],
  [
    /underpriced|fee ?too ?low|replacement ?not ?allowed|could not replace existing|existing transaction had higher priority|less than block base fee|fee cap.*(less|lower)|max ?fee ?per ?gas.*(too low|less|lower)/i,
    'underpriced',
  ],
  [/intrinsic gas|floor data gas|gas ?limit|requires at least [0-9]+ gas/i, 'wrong-gas'],
]

/**
 * `onPartlyAccepted` is called when the quorum refuses the transaction but a provider accepted it, or failed and may have: it may be mined,
 * and its calldata may be public. Where a node queues nothing, the broadcast waits for the earlier nonce.
 */
export async function broadcast(
  node: Pick<EvmNode, 'broadcast'>,
  raw: Hex,
  onPartlyAccepted: () => void = () => undefined,
): Promise<'accepted' | NonceRefusal> {
  return pastNonceGap(() => broadcastOnce(node, raw, onPartlyAccepted))
}

async function broadcastOnce(node: Pick<EvmNode, 'broadcast'>, raw: Hex, onPartlyAccepted: () => void): Promise<Verdict> {
  try {
    await node.broadcast(raw)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    if (error instanceof PartialRefusal) onPartlyAccepted()
    const verdict = verdictOf(error)
    if (verdict !== undefined) return verdict
    throw new ChainFailure('would-fail', `the node refused the transaction: ${error.message}`)
  }
}

/** Some providers refused the transaction. Others accepted it, fewer than the quorum, or failed and may have. */
export class PartialRefusal extends NodeRefusal {
  constructor({ code, message, data }: NodeRefusal) {
    super(code, message, data)
    this.name = 'PartialRefusal'
  }
}

export function verdictOf({ message }: NodeRefusal): Verdict | undefined {
  return verdicts.find(([pattern]) => pattern.test(message))?.[1]
}
