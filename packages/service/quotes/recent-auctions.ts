/** The auctions of the last minute are remembered, so that an order after a quote needs no auction of its own. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Bid } from './rank.ts'

export interface RecentAuctions {
  remember(question: AuctionTopic, bids: readonly Bid[], now: bigint): void
  /** Returns the open bids, best first, of the newest auction in which a solver asked for exactly this amount. Returns null without one. */
  find(question: AuctionTopic, sourceAmount: bigint, now: bigint): readonly Bid[] | null
}

type AuctionTopic = {
  readonly source: { readonly id: AssetId }
  readonly destination: { readonly id: AssetId }
  readonly extraFeeBips: number
  /** Solvers may have a price for each app. */
  readonly app: string
  readonly clientSecret?: boolean
}

/** This limit applies even to bids that are valid for longer, because other solvers may be better by then. */
const KEEP_SECONDS = 60n

export function createRecentAuctions(maxEntries = 10_000): RecentAuctions {
  const kept = new Map<string, { readonly bids: readonly Bid[]; readonly at: bigint }>()
  const key = ({ source, destination, extraFeeBips, app, clientSecret = false }: AuctionTopic, sourceAmount: bigint) =>
    `${source.id} ${destination.id} ${extraFeeBips} ${sourceAmount} ${clientSecret} ${app}`

  return {
    remember(question, bids, at) {
      for (const { sourceAmount } of bids) {
        const name = key(question, sourceAmount)
        // Deleting first keeps the oldest entry at the front.
        kept.delete(name)
        kept.set(name, { bids, at })
      }
      for (const oldest of kept.keys()) {
        if (kept.size <= maxEntries) break
        kept.delete(oldest)
      }
    },
    find(question, sourceAmount, now) {
      const auction = kept.get(key(question, sourceAmount))
      if (auction === undefined || auction.at + KEEP_SECONDS < now) return null
      const open = auction.bids.filter((bid) => bid.expiresAt > now && bid.sourceAmount <= sourceAmount)
      return open.length > 0 ? open : null
    },
  }
}
