/** Why an order does not move at this moment, in words for its user. Derived from the record alone. */
import type { OrderRecord } from '../../../sdk/src/index.ts'
import { swap } from '../../texts.ts'

/** While the payment is locked, and the other side is not on its way to the user. */
const REFUNDABLE: ReadonlySet<string> = new Set([
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'awaiting_refund',
])

export function isRefundable(status: string): boolean {
  return REFUNDABLE.has(status)
}

export function reasonOf({ next_action: next, status }: OrderRecord): string {
  if (next === null) return ''
  const told = swap.order.why[`${next.who}_${next.what}`] ?? ''
  // The service's reason for an incomplete deposit is for programs: it names calls of the API.
  if (missesDeposit(next)) return told
  return next.why ?? swap.order.whyOf[status] ?? told
}

function missesDeposit(next: OrderRecord['next_action']): boolean {
  return next?.what === 'complete_source_deposit'
}
