/** Checks, right before the solver pays, that its payment is worth no more than what it can collect at current prices. */
import { usdMicros } from '@tandem/protocol/amount.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { PayCheck } from '../pay-checks.ts'
import type { Pricing } from './pricing.ts'

const BIPS = 10_000n
/** A recorded payment is sent again even if the price has moved by this much since it was signed. */
const MAX_MOVED_SINCE_BIPS = 500n

/**
 * The amounts are those that the chains show. For terms that the solver agreed to, this is never stricter than the price check, which
 * allows the same tolerance. The worth of the deposits is rounded up by a millionth of a dollar. Without prices the price check decides.
 */
export function createWorthCheck(context: {
  readonly registry: Registry
  readonly pricing: Pick<Pricing, 'prices' | 'priceToleranceBips'>
}): PayCheck {
  const { registry, pricing } = context
  const check =
    (toleranceBips: bigint, withoutPrice: string | null) =>
    async ({ order, source }: OrderState) => {
      const { asset, amount } = order.destination.terms
      const [from, to] = [pricing.prices.find(order.source.terms.asset), pricing.prices.find(asset)]
      if (from === null || to === null) return withoutPrice
      const collected = source.counted.reduce((sum, deposit) => sum + deposit.amount, 0n)
      const worth = usdMicros(collected, registry.asset(order.source.terms.asset).decimals, from) + 1n
      const pays = usdMicros(amount, registry.asset(asset).decimals, to)
      const allowed = BIPS - toleranceBips
      return pays * allowed <= worth * BIPS ? null : `it would pay ${pays} millionths of a dollar for deposits worth ${worth}`
    }
  const tolerance = BigInt(pricing.priceToleranceBips)
  const onceSigned = check(tolerance + MAX_MOVED_SINCE_BIPS, 'there is no price at the moment, so a forged row could not be noticed')
  return Object.assign(check(tolerance, null), { onceSigned })
}
