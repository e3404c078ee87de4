/** The amounts of an order in words, for every line of the page. */
import { amountsOfOrder, exchangeOf, type Incoming, isAbout, type OrderAmounts, type OrderRecord } from '@tandem/sdk'
import { formatAmount } from '../../shared/amount.ts'
import { swap } from '../../texts.ts'
import { findAsset } from './catalog.ts'
import { type Entry, findEntry } from './history.ts'

export function amountText(assetId: string, amount: string | bigint): string {
  const asset = findAsset(assetId)
  return asset === null ? assetId : `${formatAmount(BigInt(amount), asset.decimals)} ${asset.symbol}`
}

export function amountsFor(record: OrderRecord): OrderAmounts {
  return amountsOfOrder(record, quotedFeeOf(record))
}

function quotedFeeOf({ order_id: orderId }: OrderRecord): bigint | null {
  const fee = findEntry(orderId)?.quotedFee
  return fee === undefined ? null : BigInt(fee)
}

/** Both amounts in one line. */
export function exchangeTexts(record: OrderRecord): { readonly from: string; readonly to: string } {
  const { from, to } = exchangeOf(record, quotedFeeOf(record))
  const text = amountText(to.asset, to.amount)
  return { from: amountText(from.asset, from.amount), to: isAbout(to) ? swap.order.about(text) : text }
}

/** The amounts for the list of swaps. */
export function entryOf(record: OrderRecord): Pick<Entry, 'fromAmount' | 'toAmount' | 'isAbout' | 'status'> {
  const { from, to } = exchangeOf(record, quotedFeeOf(record))
  return { fromAmount: from.amount.toString(), toAmount: to.amount.toString(), isAbout: isAbout(to), status: record.status }
}

/** A sentence about the incoming amount, with what is known of its network fee. */
export function incomingText(assetId: string, { amount, certainty }: Incoming, say: (amount: string) => string): string {
  const text = amountText(assetId, amount)
  return say(certainty === 'about' ? swap.order.about(text) : text) + swap.order.fee[certainty]
}

/** Names both amounts if the chain shows another amount than was ordered. */
export function paidText({ source_swap: { asset } }: OrderRecord, { ordered, seen }: OrderAmounts['pays']): string {
  const [paid, agreed] = [amountText(asset, seen), amountText(asset, ordered)]
  return seen === ordered ? paid : seen < ordered ? swap.order.paidOf(paid, agreed) : swap.order.paidMore(paid, agreed)
}
