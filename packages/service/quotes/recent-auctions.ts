/** Auctions of the last minute. An order that follows a quote needs no auction of its own. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Bid } from './rank.ts'

export interface RecentAuctions {
  remember(question: AuctionTopic, bids: readonly Bid[], now: bigint): void
  /** The open bids, best first, of the newest auction in which a solver asked for exactly this amount. Null: there was none. */
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

/** Also if the bids are valid for longer: by then other solvers may be better. */
const KEEP_SECONDS = 60n

export function createRecentAuctions(maxEntries = 10_000): RecentAuctions {
  const kept = new Map<string, { readonly bids: readonly Bid[]; readonly at: bigint }>()
  const key = ({ source, destination, extraFeeBips, app, clientSecret = false }: AuctionTopic, sourceAmount: bigint) =>
    `${source.id} ${destination.id} ${extraFeeBips} ${sourceAmount} ${clientSecret} ${app}`

  return {
    remember(question, bids, at) {
      for (const { sourceAmount } of bids) {
        const name = key(question, sourceAmount)
        // Deleted first, so that the oldest is always the first.
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
