/** The steps that a running swap reports. */
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'

export type SwapStep =
  | { readonly kind: 'quoted'; readonly quote: Quote }
  /** The swap is saved from here on: `resume(orderId)` continues it. */
  | { readonly kind: 'ordered'; readonly orderId: string }
  /** The wallet has paid or signed. */
  | { readonly kind: 'paid'; readonly orderId: string; readonly tx: string }
  /** The order has changed; `record.status` and `record.next_action` say how. */
  | { readonly kind: 'changed'; readonly orderId: string; readonly record: OrderRecord }
  /** The service, or the user's own node, does not answer or stands still. The swap waits, and reveals nothing on the service's word. */
  | { readonly kind: 'delayed'; readonly orderId: string; readonly by: 'service' | 'node'; readonly reason: string }
  /** The user's own node shows that the user is paid. With the user's own key the redeem is sent, and watched until it is in a block. */
  | { readonly kind: 'received'; readonly orderId: string; readonly tx: string }
  /** Only the service says that the user is paid: no node was named that could show it, or the node does not show it. */
  | { readonly kind: 'unverified'; readonly orderId: string; readonly reason: string }
