/** An order's dollar value as agreed has the prices of its creation. The ledger scales it to the filled amount. */
import { type UsdPrice, usdMicros } from './amount.ts'
import type { Leg, Order } from './order.ts'

export type OrderWorth = {
  readonly volumeUsdMicros: bigint
  /** The fee is the source value minus the destination value. It is never negative. */
  readonly feeUsdMicros: bigint
}

/** This is the largest signed 64-bit number, about nine trillion dollars. */
const MAX_USD_MICROS = 2n ** 63n - 1n

export function orderWorth(
  order: Pick<Order, Leg>,
  assets: Readonly<Record<Leg, { readonly decimals: number }>>,
  prices: Readonly<Record<Leg, UsdPrice>>,
): OrderWorth {
  const worth = (leg: Leg) => {
    const micros = usdMicros(order[leg].agreedAmount, assets[leg].decimals, prices[leg])
    return micros < MAX_USD_MICROS ? micros : MAX_USD_MICROS
  }
  const [volumeUsdMicros, out] = [worth('source'), worth('destination')]
  return { volumeUsdMicros, feeUsdMicros: volumeUsdMicros > out ? volumeUsdMicros - out : 0n }
}
