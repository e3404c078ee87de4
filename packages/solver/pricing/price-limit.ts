/** Limits how far the price may have moved when the solver pays. The user's slippage does not count here. The functions are pure. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Order } from '@tandem/protocol/order.ts'

export type Prices = { readonly source: UsdPrice; readonly destination: UsdPrice }

const BIPS = 10_000n

/** Returns the most that the solver pays `now` for what was `amount` `then`. Rounded down, because the user chose when to pay. */
export function maxAmountAt(amount: bigint, then: Prices, now: Prices, toleranceBips: number): bigint {
  if (then.source === 0n || now.destination === 0n) return 0n
  const worth = (amount * now.source * then.destination) / (now.destination * then.source)
  return (worth * BIPS) / (BIPS - BigInt(toleranceBips))
}

/** Returns the source price from which `agreed` follows, if the price now gives `offer`. Rounding up lowers the limit. */
export function impliedPrices(now: Prices, agreed: bigint, offer: bigint): Prices {
  return { source: (now.source * agreed + offer - 1n) / offer, destination: now.destination }
}

/**
 * Returns true if the agreed price has expired: a deposit was mined after its end, or so much time has passed that the solver must have
 * been kept from seeing a deposit that was in time. Without the second rule, delaying the solver would be a free option.
 */
export function isPriceOver(order: Order, source: Chain, minedAt: readonly bigint[], now: bigint): boolean {
  const confirmationSeconds = (BigInt(order.source.requiredConfirmations) * CONFIRMATION_SLACK * source.blockMs) / 1000n
  return now > order.priceExpiresAt + confirmationSeconds || minedAt.some((time) => time > order.priceExpiresAt)
}

/** Confirmations may take this many times their usual time. */
const CONFIRMATION_SLACK = 3n

/** After the price has expired, the solver gives up at most its spread, so that the user gains nothing by waiting for a better price. */
export function toleranceBips(limits: { readonly priceToleranceBips: number; readonly spreadBips: number }, isOver: boolean): number {
  return isOver ? Math.min(limits.priceToleranceBips, limits.spreadBips) : limits.priceToleranceBips
}
