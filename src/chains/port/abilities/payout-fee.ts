/** A payout pays its network fee out of its own amount. Absent: someone else pays it. */
import type { AssetId } from '../../../protocol/asset.ts'

/** The fee of a typical payout now. Quotes tell it to the user. */
export type PayoutFee = (asset: AssetId) => Promise<bigint>
