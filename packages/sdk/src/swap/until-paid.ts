/** The end of a swap: the user's own node shows whether the user is paid. */

import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { UnpaidError } from './errors.ts'
import { type Receipt, receive, shownAs } from './receive.ts'
import { intentOf, type SavedSwap } from './saved-swap.ts'
import { recordOf } from './side.ts'
import type { SwapStep } from './swap-step.ts'

export function stepOf(orderId: string, { tx, isSeen }: Receipt): SwapStep {
  if (isSeen) return { kind: 'received', orderId, tx }
  return { kind: 'unverified', orderId, reason: 'the payment is gone from the chain, and the node has forgotten whether you got it' }
}

/**
 * Waits until the user's own node shows that the user is paid. Throws `UnredeemedError` or `UnpaidError` if it does not do so within the time of one claim.
 * `given` is what the service says; without it the record that the user paid for is used.
 */
export async function* untilPaid(
  context: SwapContext,
  saved: SavedSwap,
  given: OrderRecord | null,
  signal?: AbortSignal,
): AsyncGenerator<SwapStep, void> {
  const record = given ?? (await recordOf(context, saved, signal))
  const { orderId, secretHash } = saved
  const { chain } = (await intentOf(context, saved)).destination
  if (secretHash === null && nodeOf(context, chain) === null) {
    yield { kind: 'unverified', orderId, reason: `no node of ${chain.id} was named: that you are paid is the service's word` }
    return
  }
  const until = Date.now() + Number(chain.margins.claimSeconds) * 1000
  for (let reported = ''; ; await sleep(context.options.pollMs ?? 2_000, signal)) {
    let reason = ''
    try {
      const receipt = secretHash === null ? await seen() : await receive(context, saved, record, signal)
      // A server that is behind may not know of the lock.
      if (receipt?.isSeen === true || (receipt !== null && Date.now() >= until)) {
        yield stepOf(orderId, receipt)
        return
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      reason = error.message
    }
    if (reason !== '' && reason !== reported) yield { kind: 'delayed', orderId, by: 'node', reason }
    reported = reason
    if (Date.now() < until) continue
    if (reason === '') throw new UnpaidError(orderId, chain.id, 'unpaid')
    // The user's own secret is out, and only the node can say what became of it.
    if (secretHash !== null) continue
    yield { kind: 'unverified', orderId, reason }
    return
  }

  async function seen(): Promise<Receipt | null> {
    const shown = await shownAs(context, saved, record, signal)
    if (shown === 'refunded') throw new UnpaidError(orderId, chain.id, shown)
    return shown === 'none' ? null : { tx: record.destination_swap.redeem_tx_hash, isSeen: shown === 'redeemed' }
  }
}
