/** Says whether a page offers the refund that the solver agrees to. */
import type { AssetFacts, OrderRecord } from '@tandem/sdk'

/** The statuses in which the solver may still agree to return the payment. */
const STATUSES: ReadonlySet<string> = new Set(['initiate_detected', 'initiated', 'awaiting_refund'])

/** An asset that this version of the page does not know may have the refund: then the service answers. */
export function mayCancel(record: OrderRecord | null, source: AssetFacts | null): boolean {
  // What lies at a deposit address is not locked: it comes back without the solver.
  if (record?.source_swap.deposit_address !== undefined && record.source_swap.filled_amount === '0') return false
  return record !== null && STATUSES.has(record.status) && source?.hasInstantRefund !== false
}
