/** Broadcasts a signed transaction and classifies refusals, which every node software words differently. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { ChainFailure } from '../../port/failure.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

/**
 * accepted      the node has it, now or since an earlier broadcast
 * nonce-used    another transaction of this account was mined at its nonce
 * underpriced   the fee is too low for the next block, or to replace the transaction at this nonce
 * wrong-gas     the gas limit is below the intrinsic gas, or above the block gas limit
 * nonce-gap     the node lacks a transaction with an earlier nonce, and does not queue this one
 */
export type Verdict = 'accepted' | 'nonce-gap' | Refusal
export type Refusal = 'nonce-used' | 'underpriced' | 'wrong-gas'

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

/** Several actions of one signer broadcast at a time. The earlier nonce is usually on its way to the node. */
const GAP_RETRY_MS = [20, 50, 100, 200, 400]

/**
 * `onPartlyAccepted` is called when the quorum refuses it but a provider accepted it, or failed and may have: it may be mined, and its calldata may be public. Where a
 * node queues nothing, it waits for the earlier nonce.
 */
export async function broadcast(
  node: Pick<EvmNode, 'broadcast'>,
  raw: Hex,
  onPartlyAccepted: () => void = () => undefined,
): Promise<'accepted' | Refusal> {
  for (const waitMs of GAP_RETRY_MS) {
    const verdict = await broadcastOnce(node, raw, onPartlyAccepted)
    if (verdict !== 'nonce-gap') return verdict
    await sleep(waitMs)
  }
  const verdict = await broadcastOnce(node, raw, onPartlyAccepted)
  if (verdict === 'nonce-gap') throw new ChainFailure('unreachable', 'the node lacks an earlier transaction of this account')
  return verdict
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

/** Some providers refused it. Others accepted it, fewer than the quorum, or failed and may have. */
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
