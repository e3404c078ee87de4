/** Says to the user why an order does not move now, from its record alone. */
import type { OrderRecord } from '@tandem/sdk'
import { swap } from '../../texts.ts'

/** The statuses in which the payment is locked and the user is not being paid yet. */
const REFUNDABLE: ReadonlySet<string> = new Set([
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'awaiting_refund',
])

/** The actions whose reason says why the last attempt failed. */
const TRIED: ReadonlySet<string> = new Set(['initiate_source', 'redeem_destination', 'refund_source'])

export function isRefundable(status: string): boolean {
  return REFUNDABLE.has(status)
}

export function reasonOf({ next_action: next, status, source_swap: source }: OrderRecord): string {
  if (next === null) return ''
  if (next.what === 'complete_source_deposit' && source.deposit_address !== undefined) return swap.order.completeAtAddress
  const text = swap.order.whyOf[status] ?? swap.order.why[`${next.who}_${next.what}`] ?? ''
  return next.why !== undefined && TRIED.has(next.what) ? `${text} ${swap.order.lastFailed}`.trim() : text
}

/** The service's own reason, which is for programs: it names calls of the API, and amounts in the smallest unit. */
export function detailsOf({ next_action: next }: OrderRecord): string | null {
  return next?.why ?? null
}
