/** Broadcasts a signed transaction and classifies refusals, which every node software words differently. */
import type { Hex } from 'viem'
import { ChainFailure } from '../../port/failure.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

/**
 * accepted      the node has it, now or since an earlier broadcast
 * nonce-used    another transaction of this account was mined at its nonce
 * underpriced   the fee is too low for the next block, or to replace the transaction at this nonce
 * wrong-gas     the gas limit is below the intrinsic gas, or above the block gas limit
 */
export type Verdict = 'accepted' | Refusal
export type Refusal = 'nonce-used' | 'underpriced' | 'wrong-gas'

const verdicts: readonly (readonly [RegExp, Verdict])[] = [
  [/already ?known|known transaction|already imported|already exists|already in (the )?mempool/i, 'accepted'],
  [/nonce (is )?too low|old ?nonce|nonce has already been used|nonce.*lower than/i, 'nonce-used'],
  [
    /underpriced|fee ?too ?low|replacement ?not ?allowed|could not replace existing|existing transaction had higher priority|less than block base fee|fee cap.*(less|lower)|max ?fee ?per ?gas.*(too low|less|lower)/i,
    'underpriced',
  ],
  [/intrinsic gas|floor data gas|gas ?limit|requires at least [0-9]+ gas/i, 'wrong-gas'],
]

/** `onPartlyAccepted` is called when the quorum refuses it but a provider accepted it: it may be mined, and its calldata may be public. */
export async function broadcast(
  node: Pick<EvmNode, 'broadcast'>,
  raw: Hex,
  onPartlyAccepted: () => void = () => undefined,
): Promise<Verdict> {
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

/** Fewer providers than the quorum accepted it, and the others refused it. */
export class PartialRefusal extends NodeRefusal {
  constructor({ code, message, data }: NodeRefusal) {
    super(code, message, data)
    this.name = 'PartialRefusal'
  }
}

/** Undefined: a refusal of another kind. */
export function verdictOf({ message }: NodeRefusal): Verdict | undefined {
  return verdicts.find(([pattern]) => pattern.test(message))?.[1]
}

/** The most frequent refusal, in the words of the first provider that gave it. */
export function commonRefusal(refusals: readonly NodeRefusal[]): NodeRefusal | undefined {
  const alike = (refusal: NodeRefusal) => refusals.filter((other) => verdictOf(other) === verdictOf(refusal)).length
  return refusals.reduce<NodeRefusal | undefined>((most, one) => (most === undefined || alike(one) > alike(most) ? one : most), undefined)
}
