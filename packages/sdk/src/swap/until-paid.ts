/** The end of a swap: whether the user is paid is what their own node shows. */

import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { type Receipt, receive, shownAs } from './receive.ts'
import { intentOf, type SavedSwap } from './saved-swap.ts'
import { recordOf } from './side.ts'
import type { SwapStep } from './swap-step.ts'
import { UnpaidError } from './unpaid-error.ts'

export function stepOf(orderId: string, { tx, isSeen }: Receipt): SwapStep {
  if (isSeen) return { kind: 'received', orderId, tx }
  return { kind: 'unverified', orderId, reason: 'the payment is gone from the chain, and the node has forgotten whether you got it' }
}

/**
 * The service has the secret, or says that the user is paid: that is so when the user's own node shows it. Throws `UnredeemedError` or `UnpaidError` if it does
 * not do so within the time of one claim. `given`: what the service says; null: what the user paid for.
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
  for (let told = ''; ; await sleep(context.options.pollMs ?? 2_000, signal)) {
    let reason = ''
    try {
      const receipt = secretHash === null ? await seen() : await receive(context, saved, record, signal)
      // A server that is behind does not know of the lock yet.
      if (receipt?.isSeen === true || (receipt !== null && Date.now() >= until)) {
        yield stepOf(orderId, receipt)
        return
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      reason = error.message
    }
    if (reason !== '' && reason !== told) yield { kind: 'delayed', orderId, by: 'node', reason }
    told = reason
    if (Date.now() < until) continue
    if (reason === '') throw new UnpaidError(orderId, chain.id, 'unpaid')
    // With a secret of the user's own the swap waits for the node: nothing else can be done about it.
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
