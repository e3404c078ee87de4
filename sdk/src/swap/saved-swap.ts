/** What is remembered of a swap: all that the user agreed to. With it a swap goes on after a reload, and is verified by the user's own words. */
import { parseAmount } from '../../../src/protocol/amount.ts'
import type { Leg } from '../../../src/protocol/order.ts'
import type { CreateOrderRequest, OrderRecord } from '../../../src/protocol/wire/order.ts'
import { verifyThat } from '../verify/check.ts'
import type { Intent } from '../verify/verify-order.ts'
import type { SwapContext } from './context.ts'

export type SavedSwap = {
  readonly orderId: string
  /** Of its secret and keys. */
  readonly index: number
  readonly request: CreateOrderRequest
  readonly leastDestinationAmount: string
  readonly secretHash: string | null
  /** Names the first refund address, and cancels. Null if the answer that had it was lost. */
  readonly orderToken: string | null
  /** The sides on which the user's own key takes part. */
  readonly ownKeys: readonly Leg[]
  /** Where the user gets paid, and refunded: addresses. */
  readonly payout: string
  readonly refundTo: string | null
  /** Where the service made the user's key: refunds the deposit without the service, by `tandem refund --package`. Verified before the user pays. */
  readonly refundPackage: Readonly<Record<string, unknown>> | null
  /** As it was verified when the wallet was asked to pay; null before. A refund needs its parties, whatever the service says later. */
  readonly paidFor: OrderRecord | null
  /**
   * made     nobody was asked to pay
   * paying   the wallet was asked: it may have paid, or not
   * paid     the wallet said that it has paid or signed
   * restored found again by its secret: what was agreed is the service's word, so nothing is paid for it
   */
  readonly phase: 'made' | 'paying' | 'paid' | 'restored'
}

const keyOf = (orderId: string) => `tandem:order:${orderId}`

export async function saveSwap({ storage }: SwapContext, swap: SavedSwap): Promise<void> {
  await storage.setItem(keyOf(swap.orderId), JSON.stringify(swap))
}

/** An answer with the id of an earlier swap would replace what that swap needs for its refund. */
export async function verifyNew({ storage }: SwapContext, orderId: string): Promise<void> {
  verifyThat((await storage.getItem(keyOf(orderId))) === null, 'order_id', 'that of a new order', orderId)
}

export async function findSwap({ storage }: SwapContext, orderId: string): Promise<SavedSwap | null> {
  const text = await storage.getItem(keyOf(orderId))
  return text === null ? null : (JSON.parse(text) as SavedSwap)
}

export async function loadSwap(context: SwapContext, orderId: string): Promise<SavedSwap> {
  const saved = await findSwap(context, orderId)
  if (saved === null)
    throw new Error(`this storage has no swap of order ${orderId}: it was made elsewhere, and can only be watched or restored`)
  return saved
}

export async function intentOf({ options }: SwapContext, swap: SavedSwap): Promise<Intent> {
  const { pinnedAsset } = await import('../verify/pinned.ts')
  const { request } = swap
  return {
    source: await pinnedAsset(request.source.asset, options.deployments ?? {}),
    destination: await pinnedAsset(request.destination.asset, options.deployments ?? {}),
    sourceAmount: parseAmount(request.source.amount),
    leastDestinationAmount: parseAmount(swap.leastDestinationAmount),
    request,
    secretHash: swap.secretHash,
  }
}
