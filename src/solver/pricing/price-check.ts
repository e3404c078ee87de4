/** Reads the price again before the solver promises or pays, for every kind of source. */
import type { Order } from '../../protocol/order.ts'
import type { Registry } from '../../protocol/registry/registry.ts'
import { isPriceOver, mostAt, type Prices, toleranceBips } from './price-limit.ts'
import type { Pricing } from './pricing.ts'

export type PriceCheckContext = {
  readonly registry: Registry
  readonly pricing: Pick<Pricing, 'prices' | 'priceToleranceBips' | 'spreadBips'>
  readonly now: () => bigint
}

export type AgreedOrder = {
  readonly order: Order
  /** The prices from which the agreed amount follows. */
  readonly assetPrices: Prices
}

export type PriceJudgement =
  | { readonly kind: 'limit'; readonly most: bigint }
  /** There is no price at the moment. While the agreed price holds, it may come back in time. */
  | { readonly kind: 'no price'; readonly isOver: boolean }

/** `minedAt`: block times of the deposits that count. `amount`: what the solver would pay. */
export function judgePrice(
  { registry, pricing, now }: PriceCheckContext,
  { order, assetPrices }: AgreedOrder,
  minedAt: readonly bigint[],
  amount: bigint,
): PriceJudgement {
  const isOver = isPriceOver(order, registry.chain(order.source.chain), minedAt, now())
  const source = pricing.prices.find(order.source.terms.asset)
  const destination = pricing.prices.find(order.destination.terms.asset)
  if (source === null || destination === null) return { kind: 'no price', isOver }
  return { kind: 'limit', most: mostAt(amount, assetPrices, { source, destination }, toleranceBips(pricing, isOver)) }
}
