/** The report for support. Its fields are listed one by one, so that nothing that could move money is ever part of it. */
import type { OrderRecord } from '@tandem/sdk'
import type { Live } from './runner.ts'

export function reportOf(orderId: string, { record, problem, note }: Live): string {
  return JSON.stringify(
    {
      order_id: orderId,
      page: `${location.origin}${location.pathname}`,
      at: new Date().toISOString(),
      browser: navigator.userAgent,
      problem,
      note,
      ...(record !== null && {
        status: record.status,
        next_action: record.next_action,
        made: record.created_at,
        solver: record.solver_id,
        source: sideOf(record.source_swap),
        destination: sideOf(record.destination_swap),
      }),
    },
    null,
    2,
  )
}

function sideOf(swap: OrderRecord['source_swap']) {
  return {
    asset: swap.asset,
    amount: swap.amount,
    filled_amount: swap.filled_amount,
    swap_id: swap.swap_id,
    initiate_tx_hash: swap.initiate_tx_hash,
    redeem_tx_hash: swap.redeem_tx_hash,
    refund_tx_hash: swap.refund_tx_hash,
    confirmations: `${swap.current_confirmations} of ${swap.required_confirmations}`,
  }
}
