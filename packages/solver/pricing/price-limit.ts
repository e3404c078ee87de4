/** The solver's own limit on how far the price may have moved when it pays. The user's slippage plays no part in it. Pure functions. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Order } from '@tandem/protocol/order.ts'

export type Prices = { readonly source: UsdPrice; readonly destination: UsdPrice }

const BIPS = 10_000n

/**
 * The most that the solver pays at the prices `now` where it agreed to pay `amount` at the prices `then`. Rounded down, because the user chose
 * when to pay.
 */
export function mostAt(amount: bigint, then: Prices, now: Prices, toleranceBips: number): bigint {
  if (then.source === 0n || now.destination === 0n) return 0n
  const worth = (amount * now.source * then.destination) / (now.destination * then.source)
  return (worth * BIPS) / (BIPS - BigInt(toleranceBips))
}

/** The source price from which `agreed` follows, where the price now gives `offer`. Rounded up: a higher one lowers the limit. */
export function impliedPrices(now: Prices, agreed: bigint, offer: bigint): Prices {
  return { source: (now.source * agreed + offer - 1n) / offer, destination: now.destination }
}

/**
 * The price no longer holds: a deposit was mined too late, or it is so late now that the solver was kept from seeing a deposit that was in time.
 * Without the second rule, delaying the solver would be a free option.
 */
export function isPriceOver(order: Order, source: Chain, minedAt: readonly bigint[], now: bigint): boolean {
  const confirmationSeconds = (BigInt(order.source.requiredConfirmations) * CONFIRMATION_SLACK * source.blockMs) / 1000n
  return now > order.priceExpiresAt + confirmationSeconds || minedAt.some((time) => time > order.priceExpiresAt)
}

/** Confirmations may take so many times their usual time. */
const CONFIRMATION_SLACK = 3n

/** After the price is over, the solver gives up its spread at most: waiting for a better price is worth nothing to the user. */
export function toleranceBips(limits: { readonly priceToleranceBips: number; readonly spreadBips: number }, isOver: boolean): number {
  return isOver ? Math.min(limits.priceToleranceBips, limits.spreadBips) : limits.priceToleranceBips
}
