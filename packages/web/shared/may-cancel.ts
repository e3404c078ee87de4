/** Says whether a page offers the refund that the solver agrees to. */
import type { AssetFacts, OrderRecord } from '@tandem/sdk'

/** The statuses in which the solver may still agree to return the payment. */
const STATUSES: ReadonlySet<string> = new Set(['initiate_detected', 'initiated', 'awaiting_refund'])

/** An asset that this version of the page does not know may have the refund: then the service answers. */
export function mayCancel(record: OrderRecord | null, source: AssetFacts | null): boolean {
  return record !== null && STATUSES.has(record.status) && source?.hasInstantRefund !== false
}
