/** Keeps what the user agreed to in a swap. With it a swap goes on after a reload, and is verified against that. */

import { verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { CreateOrderRequest, OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Intent } from '../verify/verify-order.ts'
import type { SwapContext } from './context.ts'
import { withMutex } from './mutex.ts'

export type SavedSwap = {
  readonly orderId: string
  /** The index of its secret and keys. */
  readonly index: number
  readonly request: CreateOrderRequest
  /** At least this is locked for the user. */
  readonly minDestinationAmount: string
  /** At least this reaches the user, after the fee of the payout. */
  readonly minToAmount?: string
  readonly secretHash: string | null
  /** Lets the user name the first refund address, and cancel. It is null if the answer that had it was lost. */
  readonly orderToken: string | null
  /** The user's own key takes part on these sides. */
  readonly ownKeys: readonly Leg[]
  /** The user is paid and refunded at these addresses. */
  readonly payout: string
  readonly refundTo: string | null
  /** Where the service made the user's key, it refunds the deposit without the service, by `tandem refund --package`. Verified before the user pays. */
  readonly refundPackage: Readonly<Record<string, unknown>> | null
  /**
   * The record that was verified when the wallet was asked to pay; null before. A refund needs its parties, whatever the service says later. A restored swap
   * has what the service said then.
   */
  readonly paidFor: OrderRecord | null
  /** The hash of the payment. It is null if the wallet did not give it. */
  readonly paidTx: string | null
  /** A random name of the page that asked the wallet last; null before. Only one page pays, see `pay.ts`. */
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
  /** The deposit for which the secret was shown, with the user's own key. Only this one is redeemed, however often the fee is bumped. */
  readonly revealedFor?: string
  /** Unix milliseconds. The secret was certainly sent, so a late redeem is better than none, and only the user's own node says whether the user is paid. */
  readonly secretSentAt?: number
}

const keyOf = (orderId: string) => `tandem:order:${orderId}`
/** This item has the ids of all swaps, oldest first, because a storage cannot list its keys. */
const LIST = 'tandem:orders'

/** Replaces a swap that is saved already. */
export async function saveSwap({ storage }: SwapContext, swap: SavedSwap): Promise<void> {
  await storage.setItem(keyOf(swap.orderId), JSON.stringify(swap))
}

/** Saves a new swap. */
export async function addSwap(context: SwapContext, swap: SavedSwap): Promise<void> {
  await saveSwap(context, swap)
  await withMutex(LIST, async () => {
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

/** `amount` is the least that the user agreed to get. A restored swap needs it, because what was agreed is lost with the storage. */
export function withMinAmount(saved: SavedSwap, amount: bigint | undefined): SavedSwap {
  if (amount !== undefined) return { ...saved, minDestinationAmount: amount.toString(), minToAmount: amount.toString() }
  if (saved.phase !== 'restored') return saved
  const { destination } = saved.request
  throw new Error(
    `order ${saved.orderId} was restored: name in minToAmount what you agreed to get. The service says ${destination.amount} of ${destination.asset}`,
  )
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
    source: await pinnedAsset(request.source.asset, options.deployments ?? {}, options.registry),
    destination: await pinnedAsset(request.destination.asset, options.deployments ?? {}, options.registry),
    sourceAmount: parseAmount(request.source.amount),
    minDestinationAmount: parseAmount(swap.minDestinationAmount),
    minToAmount: swap.minToAmount === undefined ? null : parseAmount(swap.minToAmount),
    request,
    secretHash: swap.secretHash,
  }
}
