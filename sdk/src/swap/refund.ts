/** Refunds in one call each: at once with the solver's consent, or after the timelock. */
import type { OrderRecord } from '../../../src/protocol/wire/order.ts'
import { loadFamily } from '../families/index.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { intentOf, loadSwap, type SavedSwap } from './saved-swap.ts'

type With = { readonly signal?: AbortSignal }

/** Before the timelock, if the solver has not paid. Resolves to the hash of the transaction. A repeated call joins the first. */
export async function instantRefund(context: SwapContext, orderId: string, given: With = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  const signatures = saved.ownKeys.includes('source') ? await signRefund(context, saved, given) : []
  const body = { signatures: [...signatures], ...(saved.orderToken !== null && { order_token: saved.orderToken }) }
  return context.client.patchOrder(orderId, 'instant-refund', body, given)
}

async function signRefund(context: SwapContext, saved: SavedSwap, given: With): Promise<readonly string[]> {
  const hashes = await context.client.instantRefundHashes(saved.orderId, given)
  const record = await context.client.order(saved.orderId, given)
  const { side, ownKeys, key } = await ownSource(context, saved, record)
  return ownKeys.signInstantRefund(side, hashes, key)
}

/** After the timelock. With the user's own key the SDK sends it itself: of the order that was paid for, whatever the service says or if it says nothing. */
export async function refund(context: SwapContext, orderId: string, given: With = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  if (!saved.ownKeys.includes('source')) return context.client.patchOrder(orderId, 'refund', {}, given)
  const record = saved.paidFor ?? (await context.client.order(orderId, given))
  const { side, ownKeys, key } = await ownSource(context, saved, record)
  const node = nodeOf(context, side.chain, given.signal)
  if (node === null) throw new Error(`name a node of ${side.chain.id}: only your own key can refund this order`)
  return ownKeys.refund(side, key, saved.refundTo, node)
}

async function ownSource(context: SwapContext, saved: SavedSwap, record: OrderRecord) {
  const { verifyTerms } = await import('../verify/verify-order.ts')
  const { source: side } = verifyTerms(await intentOf(context, saved), { record, funding: { order_id: saved.orderId, to: '', amount: '' } })
  const family = await loadFamily(side.chain.family)
  if (family.ownKeys === undefined) throw new Error(`${side.chain.id} has no keys of users`)
  return { side, ownKeys: family.ownKeys, key: await context.keys.keyFor(saved.index, 'source') }
}
