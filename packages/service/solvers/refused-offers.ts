/**
 * Orders that solvers refused, or took for less, although they had quoted for them. Anyone can provoke that for free, so one counts only once the same user has funded
 * the same swap with any solver.
 */
import type { Leg } from '@tandem/protocol/order.ts'

/** The same for the same swap of the same user, whoever takes it. */
export type OfferKey = string

export function offerKey(
  assets: Readonly<Record<Leg, string>>,
  users: Readonly<Record<Leg, { readonly address: string | null }>>,
  sourceAmount: bigint,
): OfferKey {
  return [assets.source, assets.destination, users.source.address ?? '', users.destination.address ?? '', sourceAmount].join(' ')
}

export interface RefusedOffers {
  note(key: OfferKey, solverId: string): void
  /** Who refused it lately. Each refusal is given out once. */
  take(key: OfferKey): readonly string[]
}

/** A user who was refused tries again, approves a token, and waits for confirmations. */
const KEEP_MS = 30 * 60_000
const MAX_REMEMBERED = 10_000

export function createRefusedOffers(nowMs: () => number): RefusedOffers {
  /** The oldest first. */
  const refused = new Map<OfferKey, { readonly solvers: Set<string>; readonly at: number }>()
  return {
    note(key, solverId) {
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
