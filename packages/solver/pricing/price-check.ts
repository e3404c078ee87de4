/** Reads the price again before the solver promises or pays, for every kind of source. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { PayCheck } from '../pay-checks.ts'
import { worthOf } from '../risk/risk.ts'
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
  /** `gain`: what the price moved in favour of the user since the order, in the smallest unit of the destination; negative: against it. */
  | { readonly kind: 'limit'; readonly most: bigint; readonly gain: bigint }
  /** There is no price at the moment. While the agreed price holds, it may come back in time. */
  | { readonly kind: 'no price'; readonly isOver: boolean }

/** `minedAt`: block times of the deposits that count. `amount`: what the solver would pay. */
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
    most: mostAt(amount, assetPrices, now, toleranceBips(pricing, isOver)),
    gain: amount - mostAt(amount, assetPrices, now, 0),
  }
}

/** Right before the solver pays. `noteGain`: gets what the user gained by the time that it chose, in millionths of a dollar, if the price allows to pay. */
export function createPriceCheck(
  context: PriceCheckContext & { readonly db: Database; readonly noteGain?: (orderId: string, usdMicros: bigint) => void },
): PayCheck {
  return async ({ order, source }) => {
    const { assetPrices } = await readPayFacts(context.db, order.id)
    if (assetPrices === null) throw new Error(`order ${order.id} is gone`)
    const minedAt = source.counted.flatMap(({ block }) => (block === null ? [] : [block.time]))
    const { amount } = order.destination.terms
    const price = judgePrice(context, { order, assetPrices }, minedAt, amount)
    if (price.kind === 'limit') {
      if (amount > price.most) return `the price has moved: ${price.most} now, ${amount} agreed`
      const { asset } = order.destination.terms
      context.noteGain?.(order.id, signedWorth(assetPrices.destination, context.registry.asset(asset), price.gain))
      return null
    }
    if (price.isOver) return 'the price is over, and there is none at the moment'
    throw new ChainFailure('would-fail', 'there is no price at the moment')
  }
}

function signedWorth(price: UsdPrice, asset: Pick<Asset, 'decimals'>, amount: bigint): bigint {
  return amount < 0n ? -worthOf(price, asset, -amount) : worthOf(price, asset, amount)
}
