/** What is remembered of a swap: all that the user agreed to. With it a swap goes on after a reload, and is verified by the user's own words. */

import { verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { CreateOrderRequest, OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Intent } from '../verify/verify-order.ts'
import type { SwapContext } from './context.ts'
import { inTurn } from './in-turn.ts'

export type SavedSwap = {
  readonly orderId: string
  /** Of its secret and keys. */
  readonly index: number
  readonly request: CreateOrderRequest
  /** At least this is locked for the user. */
  readonly minDestinationAmount: string
  /** At least this reaches the user, after the fee of the payout. */
  readonly minToAmount?: string
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
  /**
   * As it was verified when the wallet was asked to pay; null before. A refund needs its parties, whatever the service says later. Of a restored swap: what the
   * service said then.
   */
  readonly paidFor: OrderRecord | null
  /** Of the payment, as the wallet told it; null if it did not. */
  readonly paidTx: string | null
  /** A random name of the page that asked the wallet last; null before. Only one page pays: see `pay.ts`. */
  readonly payer: string | null
  /** Unix milliseconds. */
  readonly madeAt: number
  /**
   * made     nobody was asked to pay
   * paying   the wallet was asked: it may have paid, or not
   * paid     the wallet said that it has paid or signed
   * restored found again by its secret: what was agreed is the service's word, so nothing is paid for it
   * revealed the secret was shown, or was about to be: nothing more is paid
   */
  readonly phase: 'made' | 'paying' | 'paid' | 'restored' | 'revealed'
  /** With the user's own key: the deposit for which it was shown. Only this one is redeemed, however often the fee is raised. */
  readonly revealedFor?: string
  /** Unix milliseconds: it was certainly sent, so a late redeem is better than none. Whether the user is paid is from then on the word of the user's own node alone. */
  readonly secretSentAt?: number
}

const keyOf = (orderId: string) => `tandem:order:${orderId}`
/** The ids of all swaps, oldest first: a storage cannot be asked for its keys. */
const LIST = 'tandem:orders'

/** Of a swap that is remembered already. */
export async function saveSwap({ storage }: SwapContext, swap: SavedSwap): Promise<void> {
  await storage.setItem(keyOf(swap.orderId), JSON.stringify(swap))
}

/** Of a new swap. */
export async function addSwap(context: SwapContext, swap: SavedSwap): Promise<void> {
  await saveSwap(context, swap)
  await inTurn(LIST, async () => {
    const known = await orderIds(context)
    if (!known.includes(swap.orderId)) await context.storage.setItem(LIST, JSON.stringify([...known, swap.orderId]))
  })
}

/** All swaps of this storage, oldest first. */
export async function listSwaps(context: SwapContext): Promise<readonly SavedSwap[]> {
  const found = await Promise.all((await orderIds(context)).map((orderId) => findSwap(context, orderId)))
  return found.flatMap((swap) => swap ?? [])
}

async function orderIds({ storage }: SwapContext): Promise<readonly string[]> {
  return JSON.parse((await storage.getItem(LIST)) ?? '[]') as readonly string[]
}

/** `least`: what the user agreed to get. What was agreed is lost with the storage, so a restored swap needs it. */
export function withLeast(saved: SavedSwap, least: bigint | undefined): SavedSwap {
  if (least !== undefined) return { ...saved, minDestinationAmount: least.toString(), minToAmount: least.toString() }
  if (saved.phase !== 'restored') return saved
  const { asset, amount } = saved.request.destination
  throw new Error(`order ${saved.orderId} was restored: name in minToAmount what you agreed to get. The service says ${amount} of ${asset}`)
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
  const { parseAmount } = await import('@tandem/protocol/amount.ts')
  const { request } = swap
  return {
    source: await pinnedAsset(request.source.asset, options.deployments ?? {}),
    destination: await pinnedAsset(request.destination.asset, options.deployments ?? {}),
    sourceAmount: parseAmount(request.source.amount),
    minDestinationAmount: parseAmount(swap.minDestinationAmount),
    minToAmount: swap.minToAmount === undefined ? null : parseAmount(swap.minToAmount),
    request,
    secretHash: swap.secretHash,
  }
}
