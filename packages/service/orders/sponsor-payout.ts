/** What the service pays of the fee of a payout, beyond the fee that its recipient was promised to bear at most. */

import { payForPayout } from '@tandem/party/store/orders/paid-refunds.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'

/** If the price is unknown. */
const UNKNOWN_USD_MICROS = 1_000_000n

/** Charges the budget of instant refunds: both are network fees that a user makes us pay. False once it is used up. */
export async function sponsorPayout(
  { db, prices, registry, settings }: Pick<ServiceContext, 'db' | 'prices' | 'registry' | 'settings'>,
  { id, destination }: Order,
  amount: bigint,
): Promise<boolean> {
  const { asset } = destination.terms
  const price = prices.find(asset)
  const unit = 10n ** BigInt(registry.asset(asset).decimals)
  const usdMicros = price === null ? UNKNOWN_USD_MICROS : divideRoundingUp(amount * price, unit * 100n)
  return payForPayout(db, id, usdMicros, settings.refundBudget)
}
