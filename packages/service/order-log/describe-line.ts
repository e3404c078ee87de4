/** One line of the log for each step of an order's life. */

import type { LoggedOrder } from '@tandem/party/store/operator-view/logged-orders.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'

type Step = { readonly text: string; readonly tx?: { readonly leg: Leg; readonly kind: 'initiated' | 'redeemed' | 'refunded' } }

const steps: Readonly<Record<OrderStatus, Step>> = {
  created: { text: 'order created' },
  initiate_detected: { text: 'order: deposit seen', tx: { leg: 'source', kind: 'initiated' } },
  initiated: { text: 'order: deposit confirmed', tx: { leg: 'source', kind: 'initiated' } },
  counterparty_initiate_detected: { text: 'order: filled, not confirmed yet', tx: { leg: 'destination', kind: 'initiated' } },
  counterparty_initiated: { text: 'order: filled', tx: { leg: 'destination', kind: 'initiated' } },
  redeem_detected: { text: 'order: redeem seen', tx: { leg: 'destination', kind: 'redeemed' } },
  redeemed: { text: 'order: redeemed, the user is paid', tx: { leg: 'destination', kind: 'redeemed' } },
  counterparty_redeemed: { text: 'order complete: the solver is paid too', tx: { leg: 'source', kind: 'redeemed' } },
  awaiting_refund: { text: 'order cannot complete: its deposit will be refunded' },
  refund_detected: { text: 'order: refund seen', tx: { leg: 'source', kind: 'refunded' } },
  refunded: { text: 'order refunded', tx: { leg: 'source', kind: 'refunded' } },
  expired: { text: 'order expired: nothing was deposited by the deadline' },
}

export type Line = { readonly fields: Readonly<Record<string, string>>; readonly text: string }

export function describeLine(
  { status, seconds, why }: { readonly status: OrderStatus; readonly seconds: number | null; readonly why: string | null },
  order: LoggedOrder,
  registry: Registry,
): Line {
  const { text, tx: wanted } = steps[status]
  const tx = wanted === undefined ? undefined : order.txs.findLast(({ leg, kind }) => leg === wanted.leg && kind === wanted.kind)?.tx
  const fields = {
    order: order.id,
    ...(status === 'created' && {
      from: amountText(registry, order.source),
      to: amountText(registry, order.destination),
      app: order.app,
      solver: order.solverId,
    }),
    ...(tx !== undefined && { tx }),
    ...(seconds !== null && { after: `${seconds.toFixed(1)}s` }),
    ...(why !== null && { why }),
  }
  return { fields, text }
}

function amountText(registry: Registry, { asset, amount }: LoggedOrder['source']): string {
  const known = registry.assets.find(({ id }) => id === asset)
  return known === undefined ? `${amount} ${asset}` : `${formatUnits(amount, known.decimals)} ${asset}`
}
