/** When the user can take a payment back, as their own node shows it: the timelock counts from what is on the chain. */
import type { Lock, Node } from '@tandem/chain-kit/browser/family.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { type RefundTime, refundTime } from './refund-time.ts'
import { loadSwap } from './saved-swap.ts'
import { ownKeysOf, recordOf, type Side, sourceOf } from './side.ts'

/** Of the oldest deposit. Null: nothing is locked, or not in a block yet. Without a node it is the service's word. */
export async function whenRefundable(
  context: SwapContext,
  orderId: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<RefundTime | null> {
  const saved = await loadSwap(context, orderId)
  const record = await recordOf(context, saved, signal)
  const source = await sourceOf(context, saved, record)
  const { chain } = source.side
  const node = nodeOf(context, chain, signal)
  if (node === null) return refundTime(record)
  const lock = await lockOf(source, node, saved.ownKeys.includes('source'))
  if (lock === null || lock.confirmations === 0) return null
  const { leastSeconds, mostSeconds } = await import('@tandem/protocol/timelock.ts')
  const now = Math.floor(Date.now() / 1000)
  if (lock.unitsLeft <= 0n) return { earliest: now, latest: now }
  return {
    earliest: now + Number(leastSeconds(chain.clock, lock.unitsLeft)),
    latest: now + Number(mostSeconds(chain.clock, lock.unitsLeft)),
  }
}

function lockOf(source: Side, node: Node, isOwn: boolean): Promise<Lock | null> {
  if (!isOwn) return source.family.readLock(source.side, node)
  const { side } = source
  // A deposit of any amount is refunded.
  return ownKeysOf(source).readLock({ ...side, terms: { ...side.terms, amount: 1n } }, node)
}
