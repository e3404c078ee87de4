/** A valid address may still be unable to receive: its account does not exist, or is a contract that rejects the money. Absent: every valid address can be paid. */
import type { AssetId } from '@tandem/protocol/asset.ts'

/**
 * Why this address cannot receive the asset now, in words for its owner; null if it can. Throws `ChainFailure` if the nodes do not answer.
 * Strangers choose the address, as often as the rate limit allows: so make a fixed number of requests to each provider, and no search.
 */
export type CheckRecipient = (address: string, asset: AssetId, payout: PlannedPayout | null) => Promise<string | null>

/** A payout of an HTLC that is not initiated yet. Null instead: the address only gets refunds of its own money. */
export type PlannedPayout = {
  readonly amount: bigint
  /** The account that will initiate it, if it is known: one that holds the amount. */
  readonly payer: string | null
  /** False: a recipient that could reject the money is refused, even if it accepts it now. */
  readonly isTrusted: boolean
}
