/** Why an order does not move at this moment, in words for its user. Derived from the record alone. */
import type { OrderRecord } from '@tandem/sdk'
import { swap } from '../../texts.ts'

/** While the payment is locked, and the other side is not on its way to the user. */
const REFUNDABLE: ReadonlySet<string> = new Set([
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'awaiting_refund',
])

/** Where a reason of the service says why it did not work. */
const TRIED: ReadonlySet<string> = new Set(['initiate_source', 'redeem_destination', 'refund_source'])

export function isRefundable(status: string): boolean {
  return REFUNDABLE.has(status)
}

export function reasonOf({ next_action: next, status }: OrderRecord): string {
  if (next === null) return ''
  const told = swap.order.whyOf[status] ?? swap.order.why[`${next.who}_${next.what}`] ?? ''
  return next.why !== undefined && TRIED.has(next.what) ? `${told} ${swap.order.triedInVain}`.trim() : told
}

/** The service's own reason is for programs: it names calls of the API, and amounts in the smallest unit. */
export function detailsOf({ next_action: next }: OrderRecord): string | null {
  return next?.why ?? null
}
