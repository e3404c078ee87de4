/**
 * Solvers refused these orders, or took them for less, although they had quoted for them. Anyone can provoke that for free, so it counts
 * only once the same user has funded the same swap with any solver.
 */
import type { Leg } from '@tandem/protocol/order.ts'

/** The key identifies a swap and its user, independent of the solver. */
export type OfferKey = string

export function offerKey(
  assets: Readonly<Record<Leg, string>>,
  users: Readonly<Record<Leg, { readonly address: string | null }>>,
  sourceAmount: bigint,
): OfferKey {
  return [assets.source, assets.destination, users.source.address ?? '', users.destination.address ?? '', sourceAmount].join(' ')
}

export interface RefusedOffers {
  add(key: OfferKey, solverId: string): void
  /** Removes and returns the solvers that refused the swap recently. */
  take(key: OfferKey): readonly string[]
}

/** A user who was refused tries again, approves a token, and waits for confirmations. */
const KEEP_MS = 30 * 60_000
const MAX_REMEMBERED = 10_000

export function createRefusedOffers(nowMs: () => number): RefusedOffers {
  /** The oldest entry comes first. */
  const refused = new Map<OfferKey, { readonly solvers: Set<string>; readonly at: number }>()
  return {
    add(key, solverId) {
      const solvers = refused.get(key)?.solvers ?? new Set()
      refused.delete(key)
      refused.set(key, { solvers: solvers.add(solverId), at: nowMs() })
      for (const oldest of refused.keys()) {
        if (refused.size <= MAX_REMEMBERED) break
        refused.delete(oldest)
      }
    },
    take(key) {
      const known = refused.get(key)
      refused.delete(key)
      return known === undefined || nowMs() - known.at > KEEP_MS ? [] : [...known.solvers]
    },
  }
}
