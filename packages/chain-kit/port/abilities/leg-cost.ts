/** What the transactions of one HTLC cost at current fees. Quotes charge it. */
import type { AssetId } from '@tandem/protocol/asset.ts'

/** In the smallest unit of the chain's own coin (`Chain.nativeAsset`), as a single transaction: a batch costs less. */
export type LegCost = {
  /** Of the chain's own coin, which need not be an asset that is swapped here. */
  readonly decimals: number
  /** What is got back later, such as rent, does not count. */
  readonly initiate: bigint
  readonly redeem: bigint
  readonly refund: bigint
  /** What an initiation costs more if its redeemer never held the asset, and a redeem of one's own the first time; absent: nothing. */
  readonly newRecipient?: bigint
  /** What an initiation takes besides, until its HTLC is settled: rent, or a reserve; absent: nothing. */
  readonly bound?: bigint
  /** What the account must always keep of the amount that `balance` says; absent: nothing. */
  readonly kept?: bigint
}

/** A fixed number of requests to nodes. Callers cache it. Throws `ChainFailure` if the nodes do not answer. */
export type ReadLegCost = (asset: AssetId) => Promise<LegCost>
