/** The dollar value of an order as agreed, at the prices of its creation. The ledger scales it to what was filled. */
import { type UsdPrice, usdMicros } from './amount.ts'
import type { Leg, Order } from './order.ts'

export type OrderWorth = {
  /** Value of the source amount. */
  readonly volumeUsdMicros: bigint
  /** Source value less destination value; never negative. */
  readonly feeUsdMicros: bigint
}

/** The largest signed 64-bit number: about nine trillion dollars. */
const MOST_USD_MICROS = 2n ** 63n - 1n

export function orderWorth(
  order: Pick<Order, Leg>,
  assets: Readonly<Record<Leg, { readonly decimals: number }>>,
  prices: Readonly<Record<Leg, UsdPrice>>,
): OrderWorth {
  const worth = (leg: Leg) => {
    const micros = usdMicros(order[leg].agreedAmount, assets[leg].decimals, prices[leg])
    return micros < MOST_USD_MICROS ? micros : MOST_USD_MICROS
  }
  const [volumeUsdMicros, out] = [worth('source'), worth('destination')]
  return { volumeUsdMicros, feeUsdMicros: volumeUsdMicros > out ? volumeUsdMicros - out : 0n }
}
