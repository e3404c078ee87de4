/** One side of an order, verified against what the user agreed to. */

import type { OwnKeys, SdkFamily, SourceSide, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { NetworkError } from '../client/errors.ts'
import type { SwapContext } from './context.ts'
import { intentOf, type SavedSwap } from './saved-swap.ts'

export type Side<S extends SwapSide = SwapSide> = { readonly side: S; readonly family: SdkFamily }

export async function sourceOf(context: SwapContext, saved: SavedSwap, record: OrderRecord): Promise<Side<SourceSide>> {
  const { source: side } = await sidesOf(context, saved, record)
  return { side, family: await loadFamily(side.chain.family) }
}

/** It pays the user, and nobody else. */
export async function destinationOf(context: SwapContext, saved: SavedSwap, record: OrderRecord): Promise<Side> {
  const { destination: side } = await sidesOf(context, saved, record)
  const family = await loadFamily(side.chain.family)
  await family.verifyDestination(side)
  return { side, family }
}

/** The record that the user paid for. A restored swap has the service's word, so a newer one is better; without the service the old one is used. */
export async function recordOf({ client }: SwapContext, saved: SavedSwap, signal?: AbortSignal): Promise<OrderRecord> {
  const { paidFor, phase, orderId } = saved
  if (paidFor !== null && phase !== 'restored') return paidFor
  try {
    return await client.order(orderId, signal === undefined ? {} : { signal })
  } catch (error) {
    if (paidFor === null || !(error instanceof NetworkError)) throw error
    return paidFor
  }
}

async function sidesOf(context: SwapContext, saved: SavedSwap, record: OrderRecord) {
  const { verifyTerms } = await import('../verify/verify-order.ts')
  return verifyTerms(await intentOf(context, saved), { record, funding: { order_id: saved.orderId, to: '', amount: '' } })
}

export function ownKeysOf({ side, family }: Side): OwnKeys {
  if (family.ownKeys === undefined) throw new Error(`${side.chain.id} has no keys of users`)
  return family.ownKeys
}
