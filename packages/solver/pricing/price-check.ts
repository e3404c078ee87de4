/** Checks the price again before the solver signs a fill or pays. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { PayCheck } from '../pay-checks.ts'
import { worthOf } from '../risk/risk.ts'
import { isPriceOver, maxAmountAt, type Prices, toleranceBips } from './price-limit.ts'
import type { Pricing } from './pricing.ts'

export type PriceCheckContext = {
  readonly registry: Registry
  readonly pricing: Pick<Pricing, 'prices' | 'priceToleranceBips' | 'spreadBips'>
  readonly now: () => bigint
}

export type AgreedOrder = {
  readonly order: Order
  readonly assetPrices: Prices
}

export type PriceJudgement =
  /** `gain` is the price move in favour of the user since the order, in the destination's smallest unit. It may be negative. */
  | { readonly kind: 'limit'; readonly maxAmount: bigint; readonly gain: bigint }
  /** There is no price at the moment. Until `isOver`, one may come back in time. */
  | { readonly kind: 'no price'; readonly isOver: boolean }

/** `minedAt` are the block times of the deposits that count, `amount` is what the solver would pay. */
export function judgePrice(
  { registry, pricing, now: clock }: PriceCheckContext,
  { order, assetPrices }: AgreedOrder,
  minedAt: readonly bigint[],
  amount: bigint,
): PriceJudgement {
  const isOver = isPriceOver(order, registry.chain(order.source.chain), minedAt, clock())
  const source = pricing.prices.range(order.source.terms.asset)
  const destination = pricing.prices.range(order.destination.terms.asset)
  if (source === null || destination === null) return { kind: 'no price', isOver }
  const now = { source: source.low, destination: destination.high }
  return {
    kind: 'limit',
    maxAmount: maxAmountAt(amount, assetPrices, now, toleranceBips(pricing, isOver)),
    gain: amount - maxAmountAt(amount, assetPrices, now, 0),
  }
}

/** If the price allows the payment, `noteGain` receives what the user gained since the order, in millionths of a dollar. */
export function createPriceCheck(
  context: PriceCheckContext & { readonly db: Database; readonly noteGain?: (orderId: string, usdMicros: bigint) => void },
): PayCheck {
  return async ({ order, source }) => {
    const { assetPrices } = await readPayFacts(context.db, order.id)
    if (assetPrices === null) throw new Error(`order ${order.id} is missing in the database`)
    const minedAt = source.counted.flatMap(({ block }) => (block === null ? [] : [block.time]))
    const { amount } = order.destination.terms
    const price = judgePrice(context, { order, assetPrices }, minedAt, amount)
    if (price.kind === 'limit') {
      if (amount > price.maxAmount) return `the price has moved: ${price.maxAmount} now, ${amount} agreed`
      const { asset } = order.destination.terms
      context.noteGain?.(order.id, signedWorth(assetPrices.destination, context.registry.asset(asset), price.gain))
      return null
    }
    if (price.isOver) return 'the agreed price has expired, and there is no price at the moment'
    throw new ChainFailure('would-fail', 'there is no price at the moment')
  }
}

function signedWorth(price: UsdPrice, asset: Pick<Asset, 'decimals'>, amount: bigint): bigint {
  return amount < 0n ? -worthOf(price, asset, -amount) : worthOf(price, asset, amount)
}
