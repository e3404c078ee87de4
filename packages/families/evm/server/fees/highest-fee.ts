/** The highest fee of one transaction: our keys sign none that may cost more. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { feeModelOf } from './fees.ts'
import { batchGas, EMPTIED_SLOTS_GAS, MAX_CALL_GAS } from './gas.ts'

/**
 * The most expensive call, at the highest price that we offer for gas. Where gas pays for publishing data too, a call has more of it, and each unit is a
 * thousandth of that price or less.
 */
export function highestFee(chain: Chain, orders: number): bigint {
  return (MAX_CALL_GAS + EMPTIED_SLOTS_GAS + batchGas(orders)) * feeModelOf(chain).maxPerGas
}
