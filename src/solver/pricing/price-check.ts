/** Reads the price again before the solver promises or pays, for every kind of source. */
import { ChainFailure } from '../../chains/port/failure.ts'
import type { Order } from '../../protocol/order.ts'
import type { Registry } from '../../protocol/registry/registry.ts'
import type { Database } from '../../store/database/database.ts'
import { findOrder } from '../../store/orders/orders.ts'
import type { PayCheck } from '../pay-checks.ts'
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

/** Right before the solver pays. */
export function createPriceCheck(context: PriceCheckContext & { readonly db: Database }): PayCheck {
  return async ({ order, source }) => {
    const stored = await findOrder(context.db, order.id)
    if (stored === null) throw new Error(`order ${order.id} is gone`)
    const minedAt = source.counted.flatMap(({ block }) => (block === null ? [] : [block.time]))
    const { amount } = order.destination.terms
    const price = judgePrice(context, { order, assetPrices: stored.assetPrices }, minedAt, amount)
    if (price.kind === 'limit') return amount > price.most ? `the price has moved: ${price.most} now, ${amount} agreed` : null
    if (price.isOver) return 'the price is over, and there is none at the moment'
    throw new ChainFailure('would-fail', 'there is no price at the moment')
  }
}
