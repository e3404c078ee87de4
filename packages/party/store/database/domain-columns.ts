/** Columns whose values are words of the protocol. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { ActionVerb, Leg } from '@tandem/protocol/order.ts'
import { orderStatuses } from '@tandem/protocol/state.ts'
import { type Column, oneOf, text } from './columns.ts'

export const leg = oneOf<Leg>({ source: true, destination: true })
export const eventKind = oneOf<HtlcEvent['kind']>({ initiated: true, redeemed: true, refunded: true })
export const actionVerb = oneOf<ActionVerb>({ initiate: true, redeem: true, refund: true, reclaim: true, close: true })
export const orderStatus = oneOf(orderStatuses)

const isAssetId = (value: string): value is AssetId => value.includes(':')

export const assetId: Column<AssetId> = (value) => {
  const id = text(value)
  if (!isAssetId(id)) throw new Error('the id of an asset is expected')
  return id
}
