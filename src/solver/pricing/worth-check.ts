/** Right before the solver pays: what it pays is worth no more than what it can collect, at the prices of this moment, whatever was agreed. */
import { usdMicros } from '../../protocol/amount.ts'
import type { Registry } from '../../protocol/registry/registry.ts'
import type { PayCheck } from '../pay-checks.ts'
import type { Pricing } from './pricing.ts'

const BIPS = 10_000n

/**
 * The amounts are those of the chains. Never stricter than the price check on terms that the solver agreed to: the price may have moved by its tolerance.
 * The deposits' worth is rounded up, by a millionth of a dollar. Without prices the price check decides.
 */
export function createWorthCheck(context: {
  readonly registry: Registry
  readonly pricing: Pick<Pricing, 'prices' | 'priceToleranceBips'>
}): PayCheck {
  const { registry, pricing } = context
  return async ({ order, source }) => {
    const { asset, amount } = order.destination.terms
    const [from, to] = [pricing.prices.find(order.source.terms.asset), pricing.prices.find(asset)]
    if (from === null || to === null) return null
    const collected = source.counted.reduce((sum, deposit) => sum + deposit.amount, 0n)
    const worth = usdMicros(collected, registry.asset(order.source.terms.asset).decimals, from) + 1n
    const pays = usdMicros(amount, registry.asset(asset).decimals, to)
    const allowed = BIPS - BigInt(pricing.priceToleranceBips)
    return pays * allowed <= worth * BIPS ? null : `it would pay ${pays} millionths of a dollar for deposits worth ${worth}`
  }
}
