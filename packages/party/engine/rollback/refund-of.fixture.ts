import type { Release } from '../../store/database/rollbacks.ts'

/** A line which says that the solver never pays for this order. */
export function refundOf(order: string): Release {
  return { refund: order, order, deposits: [] }
}
