/** Right before the solver pays: what it pays is worth no more than what it can collect, at the prices of this moment, whatever was agreed. */
import { usdMicros } from '@tandem/protocol/amount.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { PayCheck } from '../pay-checks.ts'
import type { Pricing } from './pricing.ts'

const BIPS = 10_000n
/** A payment on record is sent again although the price has moved by so much since it was signed. */
const MOVED_SINCE_BIPS = 500n

/**
 * The amounts are those of the chains. Never stricter than the price check on terms that the solver agreed to: the price may have moved by its tolerance.
 * The deposits' worth is rounded up, by a millionth of a dollar. Without prices the price check decides.
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
  const onceSigned = check(tolerance + MOVED_SINCE_BIPS, 'there is no price at the moment, and the database could lie')
  return Object.assign(check(tolerance, null), { onceSigned })
}
