/** A payout pays its network fee out of its own amount. Absent: someone else pays it. */
import type { AssetId } from '@tandem/protocol/asset.ts'

/**
 * What a payout takes out of its amount at most: at the highest pace at which it may be sent, to any kind of address, with a margin for a rise of fees until then. Quotes
 * promise the rest to the recipient.
 */
export type PayoutFee = (asset: AssetId) => Promise<bigint>
